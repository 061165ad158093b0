package loop

import (
	"cmp"
	"time"
)

// onContinue is cursor-ralph continue on a live loop: take in the turn, end with
// an acceptable promise, else begin a new session.
func (s State) onContinue(e Event, now time.Time) (State, Action) {
	before := s
	if s.Outer() && e.Run.Driver == "" && !e.Idle {
		return s, s.refuseOuter(now)
	}
	if e.Verified.ID != s.Verifying.ID {
		e.Verified = Verification{}
	}
	if next, action, ok := s.repeatContinue(e, now); ok {
		return next, action
	}
	if e.Generation != "" && !e.FromLine && s.ContinuedIn == e.Generation && e.Verified.ID == "" {
		return s, s.continueAgain()
	}
	if !e.Idle && (s.isPauseCrossed(now) || s.isOvertaken()) {
		if e.Verified.ID != "" {
			s.Verifying = Verifying{} // its promise is still in the journal, and is found again
		}
		return s, s.pauseCrossed()
	}
	s = s.withVerifyNotice(e)
	s.ContinuedIn, s.Continued = e.Generation, ""
	if s.TaskDue {
		e.Turn, e.Text = e.Turn.withoutWork(), cmp.Or(e.Text, taskWhy)
	}
	if s.isCutShort() && !e.Idle {
		s = s.withUndelivered()
	}
	if e.Verified.ID == "" && s.isVerifying(e, now) {
		return before, Action{Kind: Refuse, Reason: reasonVerifyOpen, Hint: "wait for the end of it, or cancel the loop"}
	}
	iteration := s.Iterations + 1               // the turn of which no stop was counted
	handedOver := s.Unseen && e.Turn.IsActive() // no stop hook saw its end
	s = s.withTurn(e.Turn)
	v := s.judge(e, iteration)
	if v.asks && e.FromLine { // the agent's call waits for it, or its stop
		return before, Action{Kind: AskVerify, Reason: reasonVerifying}
	}
	if v.asks {
		before.ContinuedIn, before.Continued = e.Generation, ""
		if e.Generation == "" { // else a hook asks, and the stop of the turn verifies
			before = before.withVerifying(now, false)
		}
		return before, Action{Kind: AskVerify, Reason: reasonVerifying}
	}
	s.Verifying = Verifying{}
	if handedOver || v.accepted {
		s.Iterations = min(iteration, s.MaxIterations)
		s = s.addHistory(e, now, v, "continued")
	} else {
		s.Carried = s.Carried.with(e.Turn)
	}
	if v.accepted {
		s = s.withAction("ended").withEnd(PromiseAccepted, "promise "+v.words(), now)
		return s, Action{Kind: Refuse, Reason: reasonOver, Hint: "nothing is left to do; tell the user so", Promise: v.words()}
	}
	if a := s.tooLow(e, now); a.Kind == Refuse {
		before.Verifying = Verifying{}
		return before, a
	}
	why := cmp.Or(e.Text, "The user continues the loop in a new session.")
	if v.found {
		s, why = s.withoutPromise(), v.why()
	}
	next, action := s.goOn(e, why, now)
	if action.Kind == AskWords {
		return before, action
	}
	return next, action
}

// onContinueEnded is cursor-ralph continue on a loop that has ended.
func (s State) onContinueEnded(e Event, now time.Time) (State, Action) {
	if e.Verified.ID != "" {
		return s, Action{Kind: Refuse, Reason: reasonVerifyEnded, Detail: string(s.Status), Hint: "`cursor-ralph continue` may take it up again"}
	}
	if s.Outer() && e.Run.Driver == "" {
		return s, s.refuseOuter(now)
	}
	if !e.Idle && s.isStopCrossed(now) {
		return s, s.stopCrossed()
	}
	switch s.Status {
	case PromiseAccepted:
		return s, Action{Kind: Refuse, Reason: reasonOver, Hint: "start a new one with " + s.starter()}
	case Cancelled, Replaced:
		return s, Action{Kind: Refuse, Reason: reasonEnded, Detail: string(s.Status), Hint: "start a new one with " + s.starter()}
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

// goOn continues a loop in a new session, unless it is at a limit that was not
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
	if limit := s.atLimit(now); limit.status != "" {
		return s.withEnd(limit.status, s.summary(limit, now), now), Action{Kind: Refuse, Reason: limit.reason, Detail: limit.detail, Hint: limit.hint, Line: s.ResumeLine(now)}
	}
	if s.Status == Paused || s.Status.Ended() {
		s = s.withoutStruggle() // else the line was typed at a session's end, perhaps unseen
	}
	s.Status, s.PauseReason, s.Reason, s.Stop, s.Rested, s.Unseen, s.Doubted = Running, "", "", false, false, false, false
	s.EndedAt, s.SessionIterations, s.Token, s.EventAt = time.Time{}, 0, "", now
	s.LastStop.Past = !s.LastStop.At.IsZero() // it stays: the second report of it may still come
	s.RetryAt = time.Time{}
	if e.Idle { // nothing is delivered to an agent that does not hear it
		s.Status, s.Rested, s.Reason = Waiting, true, "taken up again; the agent is idle until the continue line is typed"
		if s.Outer() {
			s.Reason = "taken up again; the run goes on"
		}
		return s, Action{Reason: ReasonContinued}
	}
	s.PlanGuard = cmp.Or(e.PlanGuard, s.PlanGuard)
	if !e.FromLine { // else the agent's own call may still ask where it was typed
		s.ContinueIn, s.ContinueAt = "", time.Time{}
	}
	s.Injection = s.Injection.close(Arrived, now)
	s, action := s.continuation(e, why, now)
	if action.Kind == AskWords {
		return s, action
	}
	s.LineTurn = LineTurn{}
	if e.FromLine {
		s.LineTurn = LineTurn{Generation: e.Generation, At: now, Text: action.Text}
	}
	if e.Generation != "" || s.PromptTemplate != "" || s.hasTag(why) {
		s.ContinuedIn, s.Continued = e.Generation, action.Text // also to know what the agent repeats of it
	}
	return s.withDelivery(), action
}

// continuation is the text for the agent of a continued loop: a follow-up that was
// lost, or new words.
func (s State) continuation(e Event, why string, now time.Time) (State, Action) {
	if s.Followup.ID != "" && !s.Followup.hasArrived() {
		s.Followup.Replaced = textSum(s.LastFollowup)
	}
	if text := s.lostText(); text != "" {
		return s.setDelivery(FollowupAgain, now), Action{Kind: Followup, Reason: ReasonContinued, Text: text}
	}
	return s.closeFollowup(FollowupClosed, now), s.withTemplate(e, Action{Kind: Followup, Reason: ReasonContinued}, why)
}

// continueAgain answers a second copy of the hook, whose answer may be the one
// that counts, and an agent that asks again in the same turn: with the same text,
// unless the user has paused since.
func (s State) continueAgain() Action {
	if s.Continued == "" {
		return Action{Kind: AskVerify, Reason: reasonVerifying}
	}
	return Action{Kind: Followup, Text: s.Continued, Reason: reasonAgain}
}
