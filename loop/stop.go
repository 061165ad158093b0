package loop

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// onStop decides after a turn, in the order of the specification: the user's
// stop, pause, error, count, promise, limits, struggle, session limit, follow-up.
func (s *State) onStop(e *Event, now time.Time) Action {
	switch asked := e.Verified.ID == ""; {
	case e.Verified.ID != s.Verifying.ID && !asked:
		return Action{Reason: reasonVerifyObsolete}
	case asked && e.Status != Aborted && s.IsVerifying(now):
		return Action{Reason: reasonVerifyOpen}
	case s.isTurnBefore(e) && !s.Stop:
		return Action{Reason: reasonTurnBefore}
	}
	sent, delivery := s.Delivery.IsFollowup(), e.deliveryAtStop()
	action := s.needs(e, now)
	switch action.Kind {
	case Rest:
		action = s.onTurnEnd(e, now)
		s.Verifying = Verifying{}
	case AskVerify:
		s.noteStop(e, now)
		s.beginVerifying(now)
	}
	if sent {
		action.Delivery = delivery
	}
	return action
}

// noteStop records a stop, whatever it leads to. It closes the follow-up that began
// the turn.
func (s *State) noteStop(e *Event, now time.Time) {
	if e.LoopCount < s.LastStop.LoopCount {
		s.SessionIterations = 0 // Cursor began to count anew: there was a user message
	}
	s.Delivery.Again = false // another turn began: it is not needed any more, and the history says that it was lost
	s.Shown = s.Shown || e.Turn.Followed
	s.closeFollowup(e.deliveryAtStop(), now)
	s.LastStop = StopMark{Generation: e.Generation, LoopCount: e.LoopCount, At: now, Tokens: e.Turn.Tokens}
}

func (s *State) onTurnEnd(e *Event, now time.Time) Action {
	s.noteStop(e, now)
	s.closeLine(turnEnded, now)
	s.LastTurn = false
	if s.Due.After == duePromise {
		s.Due = Due{}
	}
	if e.Status == Aborted {
		s.Stop = true
	}
	switch {
	case s.Stop:
		s.addTurn(e.Turn)
		action := Action{Reason: reasonUserStopped}
		s.end(UserStopped, action.Why(), now)
		return action
	case s.Status == Paused:
		s.Idle = true
		s.keepTurn(e)
		return Action{Reason: reasonPaused, Detail: cmp.Or(s.Reason, "by the "+string(s.PauseReason))}
	case s.Status != Running && s.Status != Waiting:
		return Action{Reason: reasonUnknownStatus, Detail: string(s.Status)}
	case e.Status != Completed:
		s.keepTurn(e)
		return s.onFailed(e)
	case e.Turn.Unread != "":
		return s.pauseUnread(e)
	case s.isTextDue(e, now):
		return s.bringText(e, now)
	}
	return s.onCompleted(e, now)
}

// keepTurn takes in a turn that is not counted: its work goes into the next record, and its promise is for the gates when the user
// resumes or continues the loop.
func (s *State) keepTurn(e *Event) {
	if e.Turn.isActive() {
		s.Promised = s.promises(e.Turn.Texts)
	}
	s.addTurn(e.Turn)
	s.Uncounted = s.Uncounted.with(e.Turn)
}

// onCompleted goes on with a completed turn of a loop that is not paused.
func (s *State) onCompleted(e *Event, now time.Time) Action {
	v := s.judge(e)
	if v.check.isUnanswered() {
		s.keepTurn(e) // a resume or a continue has its promise judged
		return s.pauseUnanswered(v.check, Rest, now)
	}
	s.count(e)
	s.takeTasks(v.check.Tasks)
	if v.accepted {
		s.addHistory(e, now, v, "ended")
		s.end(PromiseAccepted, "promise "+v.String(), now)
		return Action{Reason: reasonAccepted, Promise: v.String()}
	}
	if limit := s.atLimit(now); limit.status != "" {
		s.addHistory(e, now, v, "ended")
		s.end(limit.status, s.summary(limit, now), now)
		s.dropPromise()
		return Action{Reason: limit.reason, Detail: limit.detail, Promise: v.String()}
	}
	s.dropPromise()
	s.countReview(v.check)
	return s.nextIteration(e, now, v)
}

// count takes in a turn that is an iteration.
func (s *State) count(e *Event) {
	s.Iterations++
	s.SessionIterations++
	s.setRunning()
	s.addTurn(e.Turn)
	s.Due = Due{}
	s.takeSurvey(e.Survey)
}

// nextIteration pauses a loop that is stuck, if the user wants that, and else goes on
// to the next turn: by a follow-up, or at the session limit by typing.
func (s *State) nextIteration(e *Event, now time.Time, v verdict) Action {
	s.addHistory(e, now, v, string(Followup))
	switch {
	case s.isStruggling():
		return s.pauseStuck(pauseStruggling, Action{Reason: reasonStruggling, Detail: inARow(s.UnchangedSeen), Promise: v.String()})
	case s.Reviews >= reviewRounds && v.check.foundByReview():
		s.Notices = addOnce(s.Notices, v.why())
		return s.pauseStuck(pauseReview, Action{Reason: reasonReview, Detail: text.Count(s.Reviews, "time"), Promise: v.String()})
	case s.isIdle():
		return s.pauseStuck(pauseIdle, Action{Reason: reasonIdle, Detail: strconv.Itoa(s.Empty), Promise: v.String()})
	}
	action := Action{Kind: Followup, Reason: reasonNoPromise, Promise: v.String()}
	if v.found {
		action.Reason = reasonPromiseRefused
	}
	action = s.nextTurn(e, now, action, v.why())
	s.setAction(string(action.Kind))
	return action
}

// pauseStuck pauses a loop whose agent gets nowhere.
func (s *State) pauseStuck(reason PauseReason, a Action) Action {
	s.setAction("pause")
	s.pause(reason, a.Why())
	s.Idle = true
	return a
}

// pauseUnread pauses a loop after a turn of which not all is known.
func (s *State) pauseUnread(e *Event) Action {
	s.addTurn(e.Turn)
	s.Idle = true
	a := Action{Reason: reasonTurnUnread, Detail: e.Turn.Unread}
	s.pause(pauseError, a.Why())
	return a
}

// nextTurn brings the agent to its next turn: by a follow-up, or at the session
// limit by typing.
func (s *State) nextTurn(e *Event, now time.Time, action Action, why string) Action {
	s.stayHere(now)
	if s.isFreshDue() && (s.Outer() || e.Clears) {
		s.ChatSince = s.Iterations
		why, action.Fresh = s.withDone(why), e.Clears
	}
	switch {
	case s.isFreshDue():
		return s.nextChat(e, now, action)
	case s.isSessionOver(e) && e.Typing == TypingPossible:
		return s.startTyping(e, now, action)
	case s.isSessionOver(e) && s.Host != "" && s.SessionIterations > e.SessionLimit: // that of the last turn, whose answer has no effect
		s.handOver()
		s.LastTurn = false
		return Action{Kind: HandOver, Reason: ReasonSessionLimit, Detail: action.Why(), Promise: action.Promise}
	case s.isSessionOver(e):
		action.Kind, action.Reason, action.Detail = HandOver, ReasonSessionLimit, action.Why()
		s.handOver()
		action.Text = s.turnText(s.Iterations+1, why, true)
	default:
		action.Text = cmp.Or(action.Text, s.turnText(s.Iterations+1, why, false))
	}
	s.noteAnswer(action, e, now)
	return action
}

// handOver waits for the user to send the continue line.
func (s *State) handOver() {
	s.setWaiting(cmp.Or(s.Host, "Cursor") + "'s session limit is reached; type the continue line")
	s.LastTurn = true
}

// noteAnswer records the answer to a stop. A hand-over needs no proof: the agent asks
// the user to send the line.
func (s *State) noteAnswer(a Action, e *Event, now time.Time) {
	if a.Kind == Followup {
		s.openFollowup(e, now)
	} else {
		s.open(wayHand, now)
	}
	s.markDelivered()
	s.LastFollowup = a.Text
}

// setAction writes what follows an iteration into its record.
func (s *State) setAction(action string) { s.History[len(s.History)-1].Action = action }

// startTyping lets the continue line be typed. The agent gets nothing now: what waits for a continuation goes with
// the one that the line brings.
func (s *State) startTyping(e *Event, now time.Time, a Action) Action {
	s.openLine(e, now)
	s.setWaiting("the continue line is being typed into Cursor")
	return Action{Kind: Inject, Reason: ReasonSessionLimit, Detail: a.Why(), Promise: a.Promise}
}

// isSessionOver reports whether Cursor will not run the stop hook again in this
// session.
func (s *State) isSessionOver(e *Event) bool {
	return e.SessionLimit > 0 && (s.SessionIterations >= e.SessionLimit || e.LoopCount+1 >= e.SessionLimit)
}

func (s *State) addTurn(t Turn) {
	s.ToolCalls += t.ToolCalls
	s.addTokens(t)
	s.Journal = s.Journal.past(t)
	s.Journal.Events = t.Events
	if t.hasCalls() {
		s.Due = Due{}
	}
}

// markDelivered empties what waited for a continuation, which has the task in it, and
// records the context with the iteration before it.
func (s *State) markDelivered() {
	if n := len(s.History); n > 0 {
		last := &s.History[n-1]
		last.Context = slices.Concat(last.Context, s.Context)
	} else {
		s.Uncounted.Context = slices.Concat(s.Uncounted.Context, s.Context)
	}
	s.Context, s.Notices = nil, nil
}
