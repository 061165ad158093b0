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
	if action, ok := s.repeatContinue(e, now); ok {
		return action
	}
	if e.Generation != "" && !e.FromLine && s.ContinuedIn == e.Generation && e.Verified.ID == "" {
		return s.continueAgain()
	}
	if !e.Idle && (s.isPauseCrossed(now) || s.isOvertaken()) {
		if e.Verified.ID != "" {
			s.Verifying = Verifying{} // its promise is still in the journal, and is found again
		}
		return s.pauseCrossed()
	}
	if e.Verified.ID == "" && s.awaitsVerifier(e, now) {
		return Action{Kind: Refuse, Reason: reasonVerifyOpen, Hint: "wait until it ends, or cancel the loop"}
	}
	return s.onContinuedTurn(e, now)
}

// onContinuedTurn takes in the turn before a continue, and its promise.
func (s *State) onContinuedTurn(e *Event, now time.Time) Action {
	before := *s
	s.noteVerifyChange(e)
	s.ContinuedIn, s.Continued = e.Generation, ""
	if s.TaskDue {
		e.Turn, e.Text = e.Turn.withoutWork(), cmp.Or(e.Text, taskWhy)
	}
	if s.isCutShort() && !e.Idle {
		s.takeBackContext()
	}
	iteration := s.Iterations + 1               // the turn of which no stop was counted
	handedOver := s.Unseen && e.Turn.isActive() // no stop hook saw its end
	s.addTurn(e.Turn)
	s.takeSurvey(e.Survey)
	v := s.judge(e, iteration)
	if v.asks {
		*s = before
		return s.verifyFirst(e, now)
	}
	if v.check.lacksReview() {
		*s = before
		s.Verifying = Verifying{}
		return s.pauseUnreviewed(v.check.Review, Refuse, now)
	}
	s.Verifying = Verifying{}
	if handedOver || v.accepted {
		s.Iterations = min(iteration, s.MaxIterations)
		s.addHistory(e, now, v, "continued")
	} else {
		s.Carried = s.Carried.with(e.Turn)
	}
	if v.accepted {
		s.setAction("ended")
		s.end(PromiseAccepted, "promise "+v.words(), now)
		return Action{Kind: Refuse, Reason: ReasonOver, Hint: "nothing is left to do; tell the user so", Promise: v.words()}
	}
	if a := s.tooLow(e, now); a.Kind == Refuse {
		*s = before
		s.Verifying = Verifying{}
		return a
	}
	why := cmp.Or(e.Text, userContinues)
	if v.found {
		s.dropPromise()
		why = v.why()
	}
	action := s.goOn(e, why, now)
	s.countReview(v.check)
	if action.Kind == AskWords {
		*s = before
	}
	return action
}

// verifyFirst asks for the verification of a promise that a continue found. In a
// hook the agent's own call waits for it, or the stop of the turn verifies.
func (s *State) verifyFirst(e *Event, now time.Time) Action {
	if !e.FromLine {
		s.ContinuedIn, s.Continued = e.Generation, ""
		if e.Generation == "" {
			s.beginVerifying(now, false)
		}
	}
	return Action{Kind: AskVerify, Reason: reasonVerifying}
}

// onContinueEnded is cursor-ralph continue on a loop that has ended.
func (s *State) onContinueEnded(e *Event, now time.Time) Action {
	if e.Verified.ID != "" {
		a := Action{Kind: Refuse, Reason: reasonVerifyEnded, Detail: string(s.Status)}
		if command := s.ResumeCommand(now); command != "" {
			a.Hint = "to continue: " + command
		}
		return a
	}
	if s.Outer() && e.Run.Driver == "" {
		return s.refuseOuter(now)
	}
	if !e.Idle && (s.isStopCrossed(now) || s.isOvertaken()) {
		return s.stopCrossed()
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
	before := *s
	action := s.goOn(e, cmp.Or(e.Text, "The user continues this ended loop."), now)
	if action.Kind == Refuse || action.Kind == AskWords {
		*s = before
	}
	return action
}

// goOn continues a loop in a new session, unless it is at a limit that was not
// raised.
func (s *State) goOn(e *Event, why string, now time.Time) Action {
	if e.MaxIterations > 0 {
		s.MaxIterations = min(e.MaxIterations, MaxMaxIterations)
	}
	if e.MaxDuration != 0 {
		s.MaxDuration = max(e.MaxDuration, 0)
	}
	if e.MaxTokens != 0 {
		s.setMaxTokens(max(e.MaxTokens, 0))
	}
	if e.Run.Driver != "" {
		s.Run = e.Run
	}
	if limit := s.atLimit(now); limit.status != "" {
		action := limit.refuse()
		action.Line = s.ResumeLine(now)
		s.end(limit.status, s.summary(limit, now), now)
		return action
	}
	if s.Status == Paused || s.Status.Ended() {
		s.resetStruggle() // else the line was typed at a session's end, perhaps unseen
	}
	s.setRunning()
	s.Stop, s.Unseen, s.Doubted = false, false, false
	s.EndedAt, s.SessionIterations, s.Token, s.EventAt = time.Time{}, 0, "", now
	s.EndTold = false
	s.LastStop.Past = !s.LastStop.At.IsZero() // kept: the second report of it may still come
	s.RetryAt, s.Reviews = time.Time{}, 0
	if e.Idle { // nothing is delivered to an idle agent
		s.setWaiting("continued; the agent is idle until the continue line is typed")
		if s.Outer() {
			s.Reason = "continued; the run goes on"
		}
		return Action{Reason: ReasonContinued}
	}
	s.PlanGuard = cmp.Or(e.PlanGuard, s.PlanGuard)
	why = s.enterFresh(why, now)
	if !e.FromLine && !s.inNewChat(now) { // else the agent's own call may still ask where it was typed
		s.ContinueIn, s.ContinueAt = "", time.Time{}
	}
	s.Injection = s.Injection.close(Arrived, now)
	s.noteSession()
	action := s.continuation(e, why, now)
	if action.Kind == AskWords {
		return action
	}
	s.LineTurn = LineTurn{}
	if e.FromLine {
		s.LineTurn = LineTurn{Generation: e.Generation, At: now, Text: action.Text}
	}
	if e.Generation != "" || s.PromptTemplate != "" || s.hasTag(why) {
		s.ContinuedIn, s.Continued = e.Generation, action.Text // also to recognize what the agent repeats of it
	}
	s.markDelivered()
	return action
}

// userContinues is the first line of an ordinary continuation.
const userContinues = "The user continues the loop in a new session."

// continuation is the text for the agent of a continued loop: a follow-up that was
// lost, or new words.
func (s *State) continuation(e *Event, why string, now time.Time) Action {
	if s.Followup.ID != "" && !s.Followup.hasArrived() {
		s.Followup.Replaced = textSum(s.LastFollowup)
	}
	if text := s.lostText(); text != "" {
		s.setDelivery(FollowupAgain, now)
		return Action{Kind: Followup, Reason: ReasonContinued, Text: text}
	}
	s.closeFollowup(followupClosed, now)
	return s.withTemplate(e, Action{Kind: Followup, Reason: ReasonContinued}, why)
}

// continueAgain answers a second copy of the hook, whose answer may be the one
// that counts, and an agent that asks again in the same turn: with the same text,
// unless the user has paused since.
func (s *State) continueAgain() Action {
	if s.Continued == "" {
		return Action{Kind: AskVerify, Reason: reasonVerifying}
	}
	return Action{Kind: Followup, Text: s.Continued, Reason: reasonAgain}
}
