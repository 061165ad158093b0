package loop

import (
	"slices"
	"time"
)

// onStop decides after a turn, in the order of the specification: the user's
// stop, pause, error, count, promise, limits, struggle, session limit, follow-up.
func (s State) onStop(e Event, now time.Time) (State, Action) {
	switch asked := e.Verified.ID == ""; {
	case e.Verified.ID != s.Verifying.ID && !asked:
		return s, Action{Reason: reasonVerifyObsolete}
	case asked && !s.isAfterLine(e, now) && (s.SawStop(e, now) || s.hasBusyStop(e, now)):
		return s, Action{Reason: reasonSameStop}
	case asked && e.Status != Aborted && s.isVerifying(e, now):
		return s, Action{Reason: reasonVerifyOpen}
	}
	before := s
	next, action := s.withVerifyNotice(e).onEndOfTurn(e, now)
	if e.VerifyWas != "" {
		action.Warning = next.VerifyChanged()
	}
	if s.Followup.IsOpen() {
		action.Delivery = s.closeAtStop(e, now).Followup.Outcome
	}
	switch action.Kind {
	case AwaitText, AskTyping, AskWords:
		return before, action
	case AskVerify:
		return before.withVerifyNotice(e).atStop(e, now).withVerifying(now, false), action
	}
	next.Verifying = Verifying{}
	return next, action
}

// atStop takes note of a stop, whatever it leads to.
func (s State) atStop(e Event, now time.Time) State {
	if e.LoopCount < s.LastStop.LoopCount {
		s.SessionIterations = 0 // Cursor began to count anew: there was a user message
	}
	s = s.closeAtStop(e, now)
	s.LastStop = StopMark{Generation: e.Generation, LoopCount: e.LoopCount, Status: e.Status, At: e.began(now)}
	s.ContinuedIn = "" // the turn is over, and the next one may be of the same generation
	return s
}

// onEndOfTurn first finds out whose turn it was.
func (s State) onEndOfTurn(e Event, now time.Time) (State, Action) {
	switch whose := s.turnOf(e, now); whose {
	case theLoops:
	case wentOn:
		s.Status, s.PauseReason, s.Reason, s.Rested, s.Doubted = Running, "", "", false, false
	default:
		return s.onOtherTurn(e, now, whose)
	}
	return s.onTurnEnd(e, now)
}

func (s State) onTurnEnd(e Event, now time.Time) (State, Action) {
	s = s.atStop(e, now)
	s.Injection = s.Injection.close(lineTurnEnded, now)
	s.Minimal, s.Unseen, s.ContinueIn, s.ContinueAt = e.Minimal, false, "", time.Time{}
	if e.Status == Aborted {
		s.Stop = true
	}
	switch {
	case s.Stop:
		s = s.withTurn(e.Turn)
		action := Action{Reason: reasonUserStopped}
		return s.withEnd(UserStopped, action.Why(), now), action
	case s.Status == Paused:
		s.Rested = true
		return s.withoutLineTurn(), Action{Reason: reasonPaused, Detail: s.Reason}
	case s.Status != Running && s.Status != Waiting:
		return s, Action{Reason: reasonUnknownStatus, Detail: string(s.Status)}
	case e.Status != Completed:
		return s.withoutLineTurn().onFailed(e, now)
	case s.isBareLine(e, now):
		return s.repeatLine(e, now)
	case !s.isOtherTurn(e):
		s = s.withoutLineTurn()
	}
	return s.onCompleted(e, now)
}

// onCompleted goes on with a completed turn of a loop that is not paused.
func (s State) onCompleted(e Event, now time.Time) (State, Action) {
	s.Iterations++
	s.SessionIterations++
	s.Status, s.Reason, s.Rested, s.Retries = Running, "", false, 0
	s = s.withTurn(e.Turn)
	v := s.judge(e, s.Iterations)
	switch {
	case v.asks:
		return s, Action{Kind: AskVerify, Reason: reasonVerifying}
	case v.accepted:
		s = s.addHistory(e, now, v, "ended")
		return s.withEnd(PromiseAccepted, "promise "+v.words(), now), Action{Reason: reasonAccepted, Promise: v.words()}
	}
	if limit := s.atLimit(now); limit.status != "" {
		if len(e.Turn.Texts) == 0 && !e.Waited && !e.Minimal {
			return s, Action{Kind: AwaitText}
		}
		s = s.addHistory(e, now, v, "ended")
		s = s.withEnd(limit.status, s.summary(limit, now), now)
		return s.withoutPromise(), Action{Reason: limit.reason, Detail: limit.detail, Promise: v.words()}
	}
	return s.withoutPromise().nextIteration(e, now, v)
}

// nextIteration pauses a loop that is stuck, if the user wants that, and else goes on
// to the next turn: by a follow-up, or at the session limit by typing.
func (s State) nextIteration(e Event, now time.Time, v verdict) (State, Action) {
	action := Action{Kind: Followup, Reason: ReasonNoPromise, Promise: v.words()}
	if v.found {
		action.Reason = ReasonPromiseRefused
	}
	s = s.addHistory(e, now, v, string(Followup))
	if s.isStruggling() {
		return s.pauseStruggling(action)
	}
	if s.isIdle() {
		return s.pauseIdle(action)
	}
	next, action := s.nextTurn(e, now, action, v.why())
	return next.withAction(action.Kind), action
}

// nextTurn brings the agent to its next turn: by a follow-up, or at the session
// limit by typing.
func (s State) nextTurn(e Event, now time.Time, action Action, why string) (State, Action) {
	switch {
	case s.sessionOver(e) && e.Typing != TypingImpossible:
		return s.startTyping(e, now, action)
	case s.sessionOver(e):
		action.Kind, action.Reason, action.Detail = HandOver, ReasonSessionLimit, action.Why()
		s.Status, s.Rested, s.Unseen = Waiting, true, true
		s.Reason = "Cursor's session limit is reached; type the continue line"
		action.Text = s.words(s.Iterations+1, why, true)
	default:
		if action = s.withTemplate(e, action, why); action.Kind == AskWords {
			return s, action
		}
	}
	s = s.withAnswer(action, e, now)
	return s, action
}

// withAnswer is what a stop is answered with. A hand-over is not proved: the user has
// been told to send the line.
func (s State) withAnswer(a Action, e Event, now time.Time) State {
	s.Followup = SentFollowup{Replaced: s.Followup.Replaced}
	if a.Kind == Followup {
		s = s.withFollowup(e, a.Text, now)
	}
	s = s.withDelivery()
	s.LastFollowup = a.Text
	return s
}

// withAction puts what follows an iteration into its record.
func (s State) withAction(kind ActionKind) State {
	s.History[len(s.History)-1].Action = string(kind)
	return s
}

// pauseStruggling pauses a loop whose agent is stuck.
func (s State) pauseStruggling(a Action) (State, Action) {
	a = Action{Reason: reasonStruggling, Detail: inARow(s.Evident), Promise: a.Promise}
	s = s.withAction("pause").withPause(PauseStruggling, a.Why())
	s.Rested = true
	return s, a
}

// startTyping lets the continue line be typed, once it is known that this is
// possible. The agent gets nothing now: what waits for a continuation goes with
// the one that the line brings.
func (s State) startTyping(e Event, now time.Time, a Action) (State, Action) {
	if e.Typing == TypingUnknown {
		return s, Action{Kind: AskTyping}
	}
	s = s.withInjection(false, now)
	s.Status, s.Rested, s.Reason = Waiting, true, "the continue line is being typed into Cursor"
	return s, Action{Kind: Inject, Reason: ReasonSessionLimit, Detail: a.Why(), Promise: a.Promise}
}

// sessionOver reports whether Cursor will not run the stop hook again in this
// session.
func (s *State) sessionOver(e Event) bool {
	return e.SessionLimit > 0 && (s.SessionIterations >= e.SessionLimit || e.LoopCount+1 >= e.SessionLimit)
}

func (s State) withTurn(t Turn) State {
	s.ToolCalls += t.ToolCalls
	s.Journal = s.Journal.past(t)
	s.Journal.Tools = t.IDs
	s.AskedIn = "" // its turn is over
	return s
}

// withDelivery empties what waited for a continuation, which has the task in it, and
// notes the context with the iteration before it.
func (s State) withDelivery() State {
	if n := len(s.History); n > 0 {
		last := &s.History[n-1]
		last.Context = slices.Concat(last.Context, s.Context)
	} else {
		s.Carried.Context = slices.Concat(s.Carried.Context, s.Context)
	}
	s.Context, s.Notices, s.TaskDue = nil, nil, false
	return s
}
