package loop

import (
	"cmp"
	"fmt"
	"time"
)

func (s State) steer(e Event, now time.Time) (State, Action) {
	switch e.Kind {
	case EventPause:
		s.Injection, s.ContinueIn = s.Injection.close(pausedByUser, now), ""
		return s.pause("user", pausedByUser), Action{}
	case EventResume:
		return s.resume()
	case EventCancel:
		why := cmp.Or(e.Text, "cancelled by the user")
		return s.end(Cancelled, why, now), Action{Why: why}
	case EventBlocked:
		return s.end(Blocked, e.Text, now), Action{Why: "blocked: " + e.Text}
	case EventReplace:
		return s.end(Replaced, "replaced by another loop in this conversation", now), Action{Why: "replaced"}
	}
	return s, Action{}
}

func (s State) pause(reason, words string) State {
	s.Status, s.PauseReason, s.Reason, s.RetryAt = Paused, reason, words, time.Time{}
	return s
}

// resume sets a paused loop going. Where a stop went unanswered meanwhile, the
// agent is idle, and only a typed line brings it back.
func (s State) resume() (State, Action) {
	if s.Status != Paused {
		return s, Action{Kind: Refuse, Why: "the loop is not paused", Hint: "`cursor-ralph status` shows where it stands"}
	}
	s = s.unstuck()
	s.Status, s.PauseReason, s.Reason = Running, "", ""
	if s.Rested {
		s.Status, s.Reason = Waiting, "resumed; the agent is idle until the continue line is typed"
	}
	if s.Rested && s.Outer() {
		s.Reason = "resumed; the run goes on"
	}
	return s, Action{}
}

const pausedByUser = "paused by the user"

// crossWindow is how long after a pause a line may still come that was sent
// before it.
const crossWindow = 5 * time.Second

// crossed tells whether a pause and a line of ours were under way at once: the
// pause, which ended the injection, is the later wish.
func (s State) crossed(now time.Time) bool {
	return s.Status == Paused && s.Injection.Outcome == pausedByUser && now.Sub(s.Injection.ClosedAt).Abs() < crossWindow
}

// overtaken tells whether the loop was paused after its line had come, and before
// the agent asked for the continuation.
func (s State) overtaken() bool {
	return s.Status == Paused && s.ContinueIn == "" && !s.ContinueAt.IsZero()
}

func (s State) pausedMeanwhile() Action {
	return Action{Kind: Refuse, Why: "the loop was paused while its continue line was on its way", Hint: "the user sends " + ContinueLine(s.ConversationID) + " to go on, or runs cursor-ralph resume " + s.ConversationID}
}

// continued is cursor-ralph continue on a live loop: fold, end with an
// acceptable promise, else begin a new session.
func (s State) continued(e Event, now time.Time) (State, Action) {
	before := s
	if s.Outer() && e.Run.Driver == "" && !e.Idle {
		return s, s.notHere()
	}
	if e.Verified.ID != s.Verifying.ID {
		e.Verified = Verification{}
	}
	if e.Generation != "" && s.ContinuedIn == e.Generation && e.Verified.ID == "" {
		return s, s.continuedAlready()
	}
	if !e.Idle && (s.crossed(now) || s.overtaken()) {
		if e.Verified.ID != "" {
			s.Verifying = Verifying{} // its promise is still in the journal, and is found again
		}
		return s, s.pausedMeanwhile()
	}
	s.ContinuedIn, s.Continued = e.Generation, ""
	if s.cut() && !e.Idle {
		s = s.undelivered()
	}
	if e.Verified.ID == "" && s.Verifying.Open(s, now) {
		return before, Action{Kind: Refuse, Why: "the promise of this loop is being verified", Hint: "wait for the end of it, or cancel the loop"}
	}
	iteration := s.Iterations + 1           // the turn of which no stop was counted
	handedOver := s.Unseen && e.Turn.seen() // no stop hook saw its end
	s = s.fold(e.Turn)
	v := s.judge(e, iteration)
	if v.asks {
		before.ContinuedIn, before.Continued = e.Generation, ""
		return before.asksVerify(now, false), Action{Kind: AskVerify, Why: "the promise is being verified"}
	}
	s.Verifying = Verifying{}
	if handedOver || v.accepted {
		s.Iterations = min(iteration, s.MaxIterations)
		s = s.addHistory(e, now, v, "continued")
	} else {
		s.Carried = s.Carried.with(e.Turn)
	}
	if v.accepted {
		s = s.then("ended").end(PromiseAccepted, "promise "+v.words(), now)
		return s, Action{Kind: Refuse, Why: "the loop is over: its promise was accepted", Hint: "nothing is left to do; tell the user so", Promise: v.words()}
	}
	if a := s.tooLow(e, now); a.Kind == Refuse {
		before.Verifying = Verifying{}
		return before, a
	}
	why := cmp.Or(e.Text, "The user continues the loop in a new session.")
	if v.found {
		s, why = s.cleared(), v.why()
	}
	next, action := s.goOn(e, why, now)
	if action.Kind == AskWords {
		return before, action
	}
	return next, action
}

// tooLow refuses a new limit that is reached already: it is a slip, and would
// end the loop.
func (s State) tooLow(e Event, now time.Time) Action {
	switch {
	case e.MaxIterations > 0 && e.MaxIterations <= s.Iterations:
		return Action{Kind: Refuse, Why: fmt.Sprintf("the loop has done %d iterations, so a limit of %d is too low", s.Iterations, e.MaxIterations),
			Hint: "nothing was changed; give a higher --max-iterations"}
	case e.MaxDuration > 0 && now.Sub(s.StartedAt) >= time.Duration(e.MaxDuration):
		return Action{Kind: Refuse, Why: fmt.Sprintf("the loop has gone on for %s, so a limit of %s is too low", now.Sub(s.StartedAt).Round(time.Second), time.Duration(e.MaxDuration)),
			Hint: "nothing was changed; give a longer --max-duration"}
	}
	return Action{}
}

// revived is continue on a loop that has ended.
func (s State) revived(e Event, now time.Time) (State, Action) {
	if e.Verified.ID != "" {
		return s, Action{Kind: Refuse, Why: fmt.Sprintf("the loop has ended while its promise was verified (%s)", s.Status), Hint: "`cursor-ralph continue` may take it up again"}
	}
	if s.Outer() && e.Run.Driver == "" {
		return s, s.notHere()
	}
	switch s.Status {
	case PromiseAccepted:
		return s, Action{Kind: Refuse, Why: "the loop is over: its promise was accepted", Hint: "start a new one with " + s.starter()}
	case Cancelled, Replaced:
		return s, Action{Kind: Refuse, Why: fmt.Sprintf("the loop has ended (%s)", s.Status), Hint: "start a new one with " + s.starter()}
	}
	if a := s.tooLow(e, now); a.Kind == Refuse {
		return s, a
	}
	next, action := s.goOn(e, cmp.Or(e.Text, "The user takes this ended loop up again."), now)
	if action.Kind == Refuse || action.Kind == AskWords {
		return s, action
	}
	return next, action
}

// goOn lets a loop run in a new session, unless it is at a limit that was not
// raised.
func (s State) goOn(e Event, why string, now time.Time) (State, Action) {
	if e.MaxIterations > 0 {
		s.MaxIterations = min(e.MaxIterations, MaxMaxIterations)
	}
	if e.MaxDuration > 0 {
		s.MaxDuration = e.MaxDuration
	}
	if e.Run.Driver != "" {
		s.Run = e.Run
	}
	if status, limit, hint := s.atLimit(now); status != "" {
		return s.end(status, s.summary(limit, now), now), Action{Kind: Refuse, Why: limit, Hint: hint}
	}
	if s.Status == Paused || s.Status.Ended() {
		s = s.unstuck() // else the line was typed at a session's end, and nobody may have looked
	}
	s.Status, s.PauseReason, s.Reason, s.Stop, s.Rested, s.Unseen = Running, "", "", false, false, false
	s.EndedAt, s.SessionIterations, s.Token, s.EventAt = time.Time{}, 0, "", now
	s.LastStop.Past = !s.LastStop.At.IsZero() // it stays: the second report of it may still come
	s.RetryAt = time.Time{}
	if e.Idle { // nothing is delivered to an agent that does not hear it
		s.Status, s.Rested, s.Reason = Waiting, true, "taken up again; the agent is idle until the continue line is typed"
		if s.Outer() {
			s.Reason = "taken up again; the run goes on"
		}
		return s, Action{Why: "continued"}
	}
	s.ContinueIn, s.ContinueAt = "", time.Time{}
	s.Injection = s.Injection.close(Arrived, now)
	action := s.worded(e, Action{Kind: Followup, Why: "continued"}, why)
	if action.Kind == AskWords {
		return s, action
	}
	if e.Generation != "" {
		s.ContinuedIn, s.Continued = e.Generation, action.Text
	}
	return s.delivered(), action
}

// continuedAlready is for a second copy of our hook, whose answer may be the one
// that counts, and for an agent that asks again in the same turn: it gets what
// it was told, and a pause that the user asked for since holds.
func (s State) continuedAlready() Action {
	if s.Continued == "" {
		return Action{Kind: AskVerify, Why: "the promise is being verified"}
	}
	return Action{Kind: Followup, Text: s.Continued, Why: "continued already in this turn"}
}

// unstuck begins to watch for struggle, and to count failed turns, anew: the user has looked at it.
func (s State) unstuck() State {
	s.Struggle, s.LastAnswer, s.Unchanged, s.Evident, s.Retries = "", "", 0, 0, 0
	return s
}

// Stale tells whether nothing was heard of a loop for so long that it does not
// go on by itself.
func (s State) Stale(now time.Time) bool {
	if s.Status.Ended() || s.EventAt.IsZero() || s.StaleAfter <= 0 {
		return false
	}
	return now.Sub(s.EventAt) > time.Duration(s.StaleAfter)
}

// forgotten tells whether an event wakes a stale loop: the user who writes in its
// chat again, or whose agent stops there, may want something else.
func (s State) forgotten(e Event, now time.Time) bool {
	speaks := e.Kind == EventMessage && !s.IsOwn(e.Text) && !isContinue(e.Text, s.ConversationID)
	answered := e.Verified.ID != "" && e.Verified.ID == s.Verifying.ID // what took so long was our own doing
	return s.Stale(now) && !s.Outer() && s.Status != Paused && (e.Kind == EventStop && !answered || speaks)
}

// atLimit tells which hard limit a loop has reached, in words and with the way
// past it.
func (s State) atLimit(now time.Time) (status Status, why, hint string) {
	raise := ""
	elapsed, allowed := now.Sub(s.StartedAt), time.Duration(s.MaxDuration)
	if allowed > 0 && elapsed >= allowed {
		status, why = MaxDuration, fmt.Sprintf("the time limit of %s is reached", allowed)
		raise = fmt.Sprintf(" --max-duration %s", (elapsed+allowed).Truncate(time.Minute)+time.Minute)
	}
	if s.Iterations >= s.MaxIterations {
		status, why = MaxIterations, fmt.Sprintf("the limit of %d iterations is reached", s.MaxIterations)
		raise = fmt.Sprintf(" --max-iterations %d", min(s.Iterations+DefaultMaxIterations, MaxMaxIterations)) + raise
	}
	switch {
	case status == "":
		return "", "", ""
	case s.Iterations >= MaxMaxIterations:
		return status, why, "no loop goes on for longer; start a new one with " + s.starter()
	case s.Outer():
		return status, why, "raise it: cursor-ralph run --resume " + s.ConversationID + raise
	}
	return status, why, "raise it: cursor-ralph continue " + s.ConversationID + raise
}

// starter is what begins a loop such as this one.
func (s State) starter() string {
	if s.Outer() {
		return "cursor-ralph run"
	}
	return "/ralph-loop"
}
