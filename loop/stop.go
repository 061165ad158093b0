package loop

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// stopped decides after a turn, in the order of the specification: the user's
// stop, pause, error, count, promise, limits, struggle, session limit, follow-up.
func (s State) stopped(e Event, now time.Time) (State, Action) {
	if e.Verified.ID != s.Verifying.ID {
		e.Verified = Verification{} // of a promise that is not asked about any more
	}
	if e.Verified.ID == "" && (s.SawStop(e, now) || s.sawLate(e, now)) {
		return s, Action{Why: "the same stop was reported twice"}
	}
	before := s
	next, action := s.afterTurn(e, now)
	switch action.Kind {
	case AwaitText, AskTyping, AskWords:
		return before, action
	case AskVerify:
		return before.atStop(e, now).asksVerify(now, false), action
	}
	next.Verifying = Verifying{}
	return next, action
}

// atStop takes note of a stop, whatever it leads to.
func (s State) atStop(e Event, now time.Time) State {
	if e.LoopCount < s.LastStop.LoopCount {
		s.SessionIterations = 0 // Cursor began to count anew: there was a user message
	}
	s.LastStop = StopMark{Generation: e.Generation, LoopCount: e.LoopCount, Status: e.Status, At: e.began(now)}
	return s
}

func (s State) afterTurn(e Event, now time.Time) (State, Action) {
	s = s.atStop(e, now)
	s.Injection = s.Injection.close("a turn ended before the line arrived", now)
	s.Minimal, s.Unseen, s.ContinueIn, s.ContinueAt = e.Minimal, false, "", time.Time{}
	if e.Status == Aborted {
		s.Stop = true
	}
	switch {
	case s.Stop:
		s = s.fold(e.Turn)
		return s.end(UserStopped, "stopped by the user", now), Action{Why: "stopped by the user"}
	case s.Status == Paused:
		s.Rested = true
		return s, Action{Why: "paused: " + s.Reason}
	case s.Status != Running && s.Status != Waiting:
		return s, Action{Why: "the status " + string(s.Status) + " is unknown to this version"}
	case e.Status != Completed:
		return s.failed(e, now)
	}
	return s.counted(e, now)
}

// SawStop tells whether a stop event is one that was decided a moment ago: our
// hook may be installed in two places, and Cursor then runs it twice.
func (s State) SawStop(e Event, now time.Time) bool { return s.sawWithin(duplicateWindow, e, now) }

// sawLate is SawStop on a machine so busy that the two copies begin seconds
// apart. Then the same generation and count have to tell that it is the same
// stop, and that nothing was seen of the agent since the first.
func (s State) sawLate(e Event, now time.Time) bool {
	silent := !e.Minimal && !e.Turn.seen() && !e.Turn.Followed
	return silent && e.Generation != "" && s.sawWithin(busyWindow, e, now)
}

func (s State) sawWithin(window time.Duration, e Event, now time.Time) bool {
	last := s.LastStop
	return !last.At.IsZero() && last.Generation == e.Generation && last.LoopCount == e.LoopCount &&
		last.Status == e.Status && e.began(now).Sub(last.At).Abs() < window
}

// began is when the hook of an event began: two copies of our hook begin at
// once, and may take differently long.
func (e Event) began(now time.Time) time.Time {
	if e.Began.IsZero() {
		return now
	}
	return e.Began
}

// counted goes on with a completed turn of a loop that is not paused.
func (s State) counted(e Event, now time.Time) (State, Action) {
	s.Iterations++
	s.SessionIterations++
	s.Status, s.Reason, s.Rested, s.Retries = Running, "", false, 0
	s = s.fold(e.Turn)
	v := s.judge(e, s.Iterations)
	switch {
	case v.asks:
		return s, Action{Kind: AskVerify, Why: "the promise is being verified"}
	case v.accepted:
		s = s.addHistory(e, now, v, "ended")
		return s.end(PromiseAccepted, "promise "+v.words(), now), Action{Why: "promise accepted", Promise: v.words()}
	}
	if status, why, _ := s.atLimit(now); status != "" {
		if len(e.Turn.Texts) == 0 && !e.Waited && !e.Minimal {
			return s, Action{Kind: AwaitText}
		}
		s = s.addHistory(e, now, v, "ended")
		s = s.end(status, s.summary(why, now), now)
		return s.cleared(), Action{Why: why, Promise: v.words()}
	}
	return s.cleared().carryOn(e, now, v)
}

// cleared takes out a promise that was refused: it must not count again by
// itself.
func (s State) cleared() State {
	if s.promised(nil) {
		s.LastOutput = ""
	}
	return s
}

// carryOn pauses a loop that is stuck, if the user wants that, and else goes on
// to the next turn: by a follow-up, or at the session limit by typing.
func (s State) carryOn(e Event, now time.Time, v verdict) (State, Action) {
	action := Action{Kind: Followup, Why: "no promise", Promise: v.words()}
	if v.found {
		action.Why = "promise refused"
	}
	s = s.addHistory(e, now, v, string(Followup))
	switch {
	case s.tripped():
		return s.struggled(action)
	case s.sessionOver(e) && e.Typing != TypingImpossible:
		return s.typeOn(e, now, action)
	case s.sessionOver(e):
		action.Kind = HandOver
		action.Why += "; session limit reached"
		s.Status, s.Rested, s.Unseen = Waiting, true, true
		s.Reason = "Cursor's session limit is reached; type the continue line"
	}
	if action.Kind == HandOver {
		action.Text = s.words(s.Iterations+1, v.why(), true)
	} else if action = s.worded(e, action, v.why()); action.Kind == AskWords {
		return s, action
	}
	s = s.then(action.Kind).delivered()
	s.LastFollowup = action.Text
	return s, action
}

// then puts what follows an iteration into its record.
func (s State) then(kind ActionKind) State {
	s.History[len(s.History)-1].Action = string(kind)
	return s
}

// struggled pauses a loop whose agent is stuck.
func (s State) struggled(a Action) (State, Action) {
	s = s.then("pause").pause("struggling", "STRUGGLING: "+inARow(s.Evident))
	s.Rested = true
	return s, Action{Why: s.Reason, Promise: a.Promise}
}

// typeOn lets the continue line be typed, once it is known that this is
// possible. The agent gets nothing now: what waits for a continuation goes with
// the one that the line brings.
func (s State) typeOn(e Event, now time.Time, a Action) (State, Action) {
	if e.Typing == TypingUnknown {
		return s, Action{Kind: AskTyping}
	}
	s = s.then(Inject).opened(false, now)
	s.Status, s.Rested, s.Reason = Waiting, true, "the continue line is being typed into Cursor"
	return s, Action{Kind: Inject, Why: a.Why + "; session limit reached", Promise: a.Promise}
}

// sessionOver tells whether Cursor runs the stop hook no more in this session.
func (s State) sessionOver(e Event) bool {
	return e.SessionLimit > 0 && (s.SessionIterations >= e.SessionLimit || e.LoopCount+1 >= e.SessionLimit)
}

// lateText applies words that were overtaken by the stop of their turn to a
// loop which that stop ended by a limit.
func (s State) lateText(e Event, now time.Time) (State, Action) {
	if !s.byLimit() || s.LastStop.Generation != e.Generation || now.Sub(s.EndedAt) > lateWindow {
		return s, Action{}
	}
	e.Verified = Verification{}
	v := s.judge(e, s.Iterations)
	if v.asks && s.Verifying.Open(s, now) {
		return s, Action{} // our hook may be installed in two places
	}
	if v.asks {
		s = s.asksVerify(now, true)
		s.Verifying.Warning = v.warning
		return s, Action{Kind: AskVerify, Why: "the promise of a late text is being verified"}
	}
	if !v.accepted {
		return s, Action{Why: "late text without a promise", Promise: v.words()}
	}
	return s.lateVerdict(v, now)
}

func (s State) byLimit() bool { return s.Status == MaxIterations || s.Status == MaxDuration }

// lateVerdict puts what became of a late promise into the record of its loop.
func (s State) lateVerdict(v verdict, now time.Time) (State, Action) {
	if n := len(s.History); n > 0 {
		last := &s.History[n-1]
		last.Promise, last.Refused, last.Warning, last.Verified = v.name(), v.refused, v.warning, v.check.short()
	}
	s.EventAt = now
	if !v.accepted {
		return s, Action{Why: "late promise refused", Promise: v.words()}
	}
	return s.end(PromiseAccepted, "promise "+v.words(), now), Action{Why: "promise accepted in a late text", Promise: v.words()}
}

func (s State) fold(t Turn) State {
	s.ToolCalls += t.ToolCalls
	s.Journal = s.Journal.past(t)
	s.Journal.Tools = t.IDs
	return s
}

// delivered empties what waited for a continuation, and notes the context with
// the iteration before it.
func (s State) delivered() State {
	if n := len(s.History); n > 0 {
		last := &s.History[n-1]
		last.Context = slices.Concat(last.Context, s.Context)
	}
	s.Context, s.Notices = nil, nil
	return s
}

// verdict is what became of the promise in a turn.
type verdict struct {
	found    bool
	accepted bool
	asks     bool         // it is accepted if the verification passes
	refused  string       // why it was refused
	warning  string       // accepted, but
	check    Verification // zero where none was made
}

func (v verdict) name() string {
	switch {
	case v.accepted:
		return "accepted"
	case v.found:
		return "refused"
	}
	return "none"
}

func (v verdict) words() string {
	switch {
	case v.refused != "":
		return "refused: " + v.refused
	case v.warning != "":
		return "accepted with a warning: " + v.warning
	}
	return v.name()
}

// why tells the agent why it is still here.
func (v verdict) why() string {
	switch {
	case !v.found:
		return "You stopped, but you gave no completion promise, so the task counts as unfinished."
	case v.check.Output != "":
		return "Your promise was refused: " + v.refused + ". The end of its output:\n" + fenced(v.check.Output)
	}
	return "Your promise was refused: " + v.refused + "."
}

// NoWork says what happens to a promise that too few tool calls stand behind.
type NoWork string

// The policies.
const (
	Reject NoWork = "reject"
	Warn   NoWork = "warn"
	Accept NoWork = "accept"
)

// judge looks for the promise of an iteration and at the rules it has to meet,
// the verification last.
func (s State) judge(e Event, iteration int) verdict {
	return s.verified(s.ruled(e, iteration), e)
}

func (s State) ruled(e Event, iteration int) verdict {
	if !s.promised(e.Turn.Texts) {
		return verdict{}
	}
	if iteration < s.MinIterations {
		return verdict{found: true, refused: fmt.Sprintf("this is iteration %d and the loop runs for at least %d", iteration, s.MinIterations)}
	}
	if s.ToolCalls >= s.MinToolCalls || s.NoWork == Accept {
		return verdict{found: true, accepted: true}
	}
	if s.Minimal {
		return verdict{found: true, accepted: true, warning: "tool calls are not seen by a minimal installation, so the rule about them was skipped"}
	}
	if s.Run.NoTools {
		return s.withoutTools(e)
	}
	missing := fmt.Sprintf("%d of the %d tool calls that a promise needs were made", s.ToolCalls, s.MinToolCalls)
	if s.NoWork == Warn {
		return verdict{found: true, accepted: true, warning: missing}
	}
	return verdict{found: true, refused: missing + "; do the work first, with your tools"}
}

// summary tells, at a limit, what was tried and what stood in the way.
func (s State) summary(why string, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s; %d iterations in %s", why, s.Iterations, max(0, now.Sub(s.StartedAt)).Round(time.Second))
	if !s.Run.NoTools {
		fmt.Fprintf(&b, ", %d tool calls", s.ToolCalls)
	}
	refused, errors := 0, []string(nil)
	for _, h := range s.History {
		if h.Promise == "refused" {
			refused++
		}
		for _, line := range h.Errors {
			errors = addFact(errors, line)
		}
	}
	if refused > 0 {
		fmt.Fprintf(&b, "; promise refused %d times, at last because %s", refused, s.lastRefusal())
	} else {
		b.WriteString("; the promise was never given")
	}
	if n := len(errors); n > 0 {
		fmt.Fprintf(&b, "; blockers seen: %s", strings.Join(newest(errors, 3), " | "))
	}
	if s.LastOutput != "" {
		fmt.Fprintf(&b, "; last progress note: %s", clip(s.LastOutput, keptErrors))
	}
	return b.String()
}

func (s State) lastRefusal() string {
	for i := len(s.History) - 1; i >= 0; i-- {
		if s.History[i].Refused != "" {
			return s.History[i].Refused
		}
	}
	return "unknown"
}
