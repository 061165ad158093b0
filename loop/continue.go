package loop

import (
	"cmp"
	"time"
)

// onContinue is cursor-ralph continue on a live loop: take in the turn, end with
// an acceptable promise, else begin a new session.
func (s *State) onContinue(e *Event, now time.Time) Action {
	if s.Outer() && e.Run.Driver == "" && !e.Idle {
		return s.refuseOuter(now)
	}
	if e.Verified.ID != s.Verifying.ID {
		e.Verified = Verification{}
	}
	if action, refused := s.refuseLine(e, now); refused {
		return action
	}
	if action, ok := s.repeatContinue(e, now); ok {
		return action
	}
	if !e.Idle && (s.isPauseCrossed(now) || s.isOvertaken(e)) {
		if e.Verified.ID != "" {
			s.Verifying = Verifying{} // its promise is still in the journal, and is found again
		}
		return s.pauseCrossed()
	}
	if e.Verified.ID == "" && s.IsVerifying(now) {
		return Action{Kind: Refuse, Reason: reasonVerifyOpen, Hint: "wait until it ends, or cancel the loop"}
	}
	s.takeLine(e, now)
	return s.onContinuedTurn(e, now)
}

// repeatContinue answers a second request for the continuation of a line's turn
// with the same text, so that nothing is used up twice. A pause since then wins,
// and new limits are a new request.
func (s *State) repeatContinue(e *Event, now time.Time) (action Action, ok bool) {
	raises := e.MaxIterations > 0 && e.MaxIterations != s.MaxIterations || e.MaxDuration != 0 && max(e.MaxDuration, 0) != s.MaxDuration ||
		e.MaxTokens != 0 && max(e.MaxTokens, 0) != s.MaxTokens
	switch {
	case !s.IsLineTurn(), e.Idle, raises, e.Verified.ID != "":
		return Action{}, false
	case e.FromLine && (s.Due.Known || e.Turn.isActive() || s.Status == Paused): // it is not that of the same turn
		return Action{}, false
	case s.Status == Paused:
		return s.pauseCrossed(), true
	case e.FromLine:
		s.Due.In = e.Generation
	default:
		s.Due.Known = true
	}
	s.takeLine(e, now)
	s.closeLine(Arrived, now)
	s.setRunning()
	return Action{Kind: Followup, Reason: reasonAgain, Text: s.LastFollowup}, true
}

// quiet is how long a running loop has no event before a continue line is meant for it.
const quiet = time.Minute

// isGoingOn reports whether a continue line, or cursor-ralph continue in the user's
// terminal or without a line in the agent's shell, comes to a loop whose agent is at work: it would get one text twice, and
// the loop would wait for a line while the agent works. A line may be the answer to a
// delivery that is open.
func (s *State) isGoingOn(e *Event, now time.Time) bool {
	if s.Status != Running || s.Outer() || s.Verifying.ID != "" || now.Sub(s.EventAt).Abs() >= quiet || e.Verified.ID != "" {
		return false
	}
	if e.Kind == EventContinue && e.Idle {
		return true
	}
	comes := e.FromLine || s.isElsewhere(e)
	open := s.LacksTask() || s.Delivery.IsFollowup() && (comes || !s.isProvedBy(e.Turn)) || s.Delivery.IsTyping(now) || s.FreshChat > 0 // whose lines have rules of their own
	switch {
	case e.Kind != EventContinue || open:
		return false
	case comes:
		return true
	}
	isSeen := s.hasLine() || now.Sub(s.MessageAt).Abs() < lineWindow
	return !isSeen && !e.Turn.isSilent() // else the call before may have been killed
}

func (s *State) runsAlready() Action {
	return Action{Kind: Refuse, Reason: reasonRunsAlready, Hint: "nothing was changed; if its agent is idle all the same, try again in a minute"}
}

// onContinuedTurn takes in the turn before a continue, and its promise.
func (s *State) onContinuedTurn(e *Event, now time.Time) Action {
	if s.LacksTask() {
		e.Turn, e.Text = e.Turn.withoutWork(), cmp.Or(e.Text, taskWhy)
	}
	handedOver := s.LastTurn && e.Turn.isActive() // no stop hook saw its end, and it is an iteration
	v := s.judge(e)
	if v.asks {
		return s.verifyFirst(e, now)
	}
	s.Verifying = Verifying{}
	if v.check.isUnanswered() {
		s.keepTurn(e)
		if s.Outer() { // which has no line: the next resume is a request of its own
			s.Due = Due{}
		}
		return s.pauseUnanswered(v.check, Refuse, now)
	}
	if a := s.tooLowAfter(e, handedOver, now); a.Kind == Refuse && !v.accepted {
		return a
	}
	if s.isCutShort() && !e.Idle {
		s.takeBackContext()
	}
	s.addTurn(e.Turn)
	s.takeSurvey(e.Survey)
	s.takeTasks(v.check.Tasks)
	if handedOver || v.accepted {
		s.Iterations = min(s.Iterations+1, s.MaxIterations)
		s.addHistory(e, now, v, "continued")
	} else {
		s.Uncounted = s.Uncounted.with(e.Turn)
	}
	if v.accepted {
		s.setAction("ended")
		s.end(PromiseAccepted, "promise "+v.String(), now)
		return Action{Kind: Refuse, Reason: ReasonOver, Hint: "nothing is left to do; tell the user so", Promise: v.String()}
	}
	why := cmp.Or(e.Text, userContinues)
	if v.found {
		s.dropPromise()
		why = v.why()
	}
	action := s.goOn(e, why, now)
	s.countReview(v.check)
	return action
}

// tooLowAfter refuses limits that are reached once that turn is taken in.
func (s State) tooLowAfter(e *Event, counts bool, now time.Time) Action {
	if counts {
		s.Iterations = min(s.Iterations+1, s.MaxIterations)
	}
	s.addTurn(e.Turn)
	return s.tooLow(e, now)
}

// verifyFirst asks for the verification of a promise that a continue found. After a
// line the agent's own call waits for it, or the stop of the turn verifies.
func (s *State) verifyFirst(e *Event, now time.Time) Action {
	if !e.FromLine {
		s.beginVerifying(now)
	}
	if !s.Due.isOpen() {
		s.Due = Due{After: duePromise, Known: true}
	}
	if s.Status == Paused { // the request came after the pause; another pause wins
		s.setRunning()
	}
	return Action{Kind: AskVerify, Reason: reasonVerifying}
}

// isUsersToGoOn reports whether an agent's call, or a line that may be one's, asks for what only the user takes up, brings elsewhere or
// gives another limit.
//
//go:noinline
func (s *State) isUsersToGoOn(e *Event) bool {
	raises := e.MaxIterations > 0 || e.MaxDuration != 0 || e.MaxTokens != 0
	return e.Kind == EventContinue && e.By == ByAgent && e.Verified.ID == "" && (!s.MayAgentGoOn() || raises || s.isElsewhere(e))
}

// UsersToGoOn refuses an agent's call, and a line that may be one's, for a loop that only the user takes up.
//
//go:noinline
func (s *State) UsersToGoOn(now time.Time) Action {
	command := cmp.Or(s.ResumeCommand(now), "cursor-ralph continue "+s.ShortID())
	return Action{Kind: Refuse, Reason: reasonUsers, Detail: string(s.Status), Hint: "ask the user to run `" + command + "` in a terminal"}
}

// onContinueEnded is cursor-ralph continue on a loop that has ended.
func (s *State) onContinueEnded(e *Event, now time.Time) Action {
	if e.Verified.ID != "" {
		a := Action{Kind: Refuse, Reason: ReasonEnded, Detail: string(s.Status)}
		if command := s.ResumeCommand(now); command != "" {
			a.Hint = "to continue: " + command
		}
		return a
	}
	if s.Outer() && e.Run.Driver == "" {
		return s.refuseOuter(now)
	}
	if !e.Idle && (s.isStopCrossed(now) || s.isOvertaken(e)) {
		return s.stopCrossed()
	}
	if e.By == ByAgent && s.Status != PromiseAccepted {
		return s.UsersToGoOn(now)
	}
	switch s.Status {
	case PromiseAccepted:
		return Action{Kind: Refuse, Reason: ReasonOver, Hint: "start a new one with " + s.starter()}
	case Replaced:
		return Action{Kind: Refuse, Reason: ReasonEnded, Detail: string(s.Status), Hint: "start a new one with " + s.starter()}
	}
	if a := s.tooLow(e, now); a.Kind == Refuse {
		return a
	}
	if a := s.refuseAtLimit(e, now); a.Kind == Refuse {
		return a
	}
	if s.isElsewhere(e) && e.Occupied {
		return refuseOccupied()
	}
	s.takeLine(e, now)
	return s.goOn(e, cmp.Or(e.Text, "The user continues this ended loop."), now)
}

// refuseAtLimit refuses to continue a loop whose limits are reached even as the event raises them.
func (s State) refuseAtLimit(e *Event, now time.Time) (a Action) {
	s.raise(e)
	if limit := s.atLimit(now); limit.status != "" {
		a = limit.refuse()
		a.Line = s.resumeLine(now)
	}
	return a
}

// raise sets the limits that a continue brings.
func (s *State) raise(e *Event) {
	if e.MaxIterations > 0 {
		s.MaxIterations = min(e.MaxIterations, MaxMaxIterations)
	}
	if e.MaxDuration != 0 {
		s.MaxDuration = max(e.MaxDuration, 0)
	}
	if e.MaxTokens != 0 {
		s.MaxTokens = max(e.MaxTokens, 0)
	}
}

// goOn continues a loop in a new session, unless it is at a limit that was not
// raised.
func (s *State) goOn(e *Event, why string, now time.Time) Action {
	before := *s
	s.raise(e)
	s.noteChanges(&before, e.By)
	if e.Run.Driver != "" {
		s.Run = e.Run
	}
	if action := s.refuseAtLimit(e, now); action.Kind == Refuse {
		limit := s.atLimit(now)
		s.end(limit.status, s.summary(limit, now), now)
		return action
	}
	if s.Status == Paused || s.Status.Ended() {
		s.resetStruggle() // else the line was typed at a session's end, perhaps unseen
	}
	s.setRunning()
	s.Stop, s.LastTurn = false, false
	s.EndedAt, s.SessionIterations, s.EventAt = time.Time{}, 0, now
	s.OnEndBegun, s.Unannounced = false, false
	s.LastStop.Past = !s.LastStop.At.IsZero() // kept: the second report of it may still come
	if e.By != ByAgent {                      // whose promises they refuse
		s.Reviews = 0
	}
	if e.Idle { // nothing is delivered to an idle agent
		s.setWaiting("continued; the agent is idle until the continue line is typed")
		if s.Outer() {
			s.Reason = "continued; the run goes on"
		}
		return Action{Reason: ReasonContinued}
	}
	why = s.enterFresh(e, why, now)
	s.closeLine(Arrived, now)
	action := s.continuation(e, why, now)
	s.LastFollowup, s.Due = action.Text, Due{}
	if e.FromLine {
		s.Due = Due{After: dueLine, In: e.Generation, Known: s.Host != ""} // other hosts give the text with the message
	}
	s.markDelivered()
	return action
}

// userContinues is the first line of an ordinary continuation.
const userContinues = "The user continues the loop in a new session."

// continuation is the text for the agent of a continued loop: a follow-up that was
// lost, or new words.
func (s *State) continuation(e *Event, why string, now time.Time) Action {
	if text := s.lostText(); text != "" {
		s.noteLost(FollowupAgain)
		s.Delivery.Again = false
		return Action{Kind: Followup, Reason: ReasonContinued, Text: text}
	}
	s.closeFollowup(deliveryClosed, now)
	return Action{Kind: Followup, Reason: ReasonContinued, Text: s.turnText(s.Iterations+1, why, false)}
}
