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
	case asked && !s.isAfterLine(e, now) && (s.SawStop(e, now) || s.hasBusyStop(e, now)):
		return Action{Reason: reasonSameStop}
	case asked && e.Status != Aborted && s.awaitsVerifier(e, now):
		return Action{Reason: reasonVerifyOpen}
	}
	before, delivery := *s, e.deliveryAtStop()
	s.noteVerifyChange(e)
	action := s.onEndOfTurn(e, now)
	if e.hasOtherGates() {
		action.Warning = s.VerifyChanged()
	}
	if s.TokenGaps > before.TokenGaps && s.TokenGaps == 1 && s.isTokenLimitIdle() {
		action.Warning = joined(action.Warning, usageUnknown)
	}
	if before.Followup.IsOpen() {
		action.Delivery = delivery
	}
	switch action.Kind {
	case AwaitText, AskTyping, AskWords:
		*s = before
	case AskVerify:
		*s = before
		s.noteVerifyChange(e)
		s.noteStop(e, now)
		s.beginVerifying(now, false)
	default:
		s.Verifying = Verifying{}
	}
	return action
}

// noteStop records a stop, whatever it leads to. It closes the follow-up that began
// the turn.
func (s *State) noteStop(e *Event, now time.Time) {
	if e.LoopCount < s.LastStop.LoopCount {
		s.SessionIterations = 0 // Cursor began to count anew: there was a user message
	}
	if s.Followup.Outcome == FollowupLost {
		s.Followup.Outcome = followupClosed // another turn began: it is not needed any more, and the history says that it was lost
	}
	s.closeFollowup(e.deliveryAtStop(), now)
	s.LastStop = StopMark{Generation: e.Generation, LoopCount: e.LoopCount, Status: e.Status, At: e.began(now), Tokens: e.Turn.Tokens}
	s.ContinuedIn = "" // the turn is over, and the next one may be of the same generation
}

// onEndOfTurn first finds out whose turn it was.
func (s *State) onEndOfTurn(e *Event, now time.Time) Action {
	switch whose := s.turnOf(e, now); whose {
	case theLoops:
	case wentOn:
		s.setRunning()
		s.Doubted = false
	default:
		return s.onOtherTurn(e, now, whose)
	}
	return s.onTurnEnd(e, now)
}

func (s *State) onTurnEnd(e *Event, now time.Time) Action {
	s.noteStop(e, now)
	s.Injection = s.Injection.close(lineTurnEnded, now)
	s.Minimal, s.Unseen, s.ContinueIn, s.ContinueAt = e.Minimal, false, "", time.Time{}
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
		s.Rested = true
		s.keepTokens(e)
		s.endLineTurn()
		return Action{Reason: reasonPaused, Detail: cmp.Or(s.Reason, "by the "+string(s.PauseReason))}
	case s.Status != Running && s.Status != Waiting:
		return Action{Reason: reasonUnknownStatus, Detail: string(s.Status)}
	case e.Status != Completed:
		s.endLineTurn()
		s.keepTokens(e)
		return s.onFailed(e, now)
	case s.isBareLine(e, now):
		return s.repeatLine(e, now)
	case !s.isOtherTurn(e):
		s.endLineTurn()
	}
	return s.onCompleted(e, now)
}

// onCompleted goes on with a completed turn of a loop that is not paused.
func (s *State) onCompleted(e *Event, now time.Time) Action {
	before := *s
	s.Iterations++
	s.SessionIterations++
	s.setRunning()
	s.Retries = 0
	s.addTurn(e.Turn)
	s.noteUnknownTokens()
	s.takeSurvey(e.Survey)
	v := s.judge(e, s.Iterations)
	switch {
	case v.asks:
		return Action{Kind: AskVerify, Reason: reasonVerifying}
	case v.check.lacksReview():
		*s = before // the promise stays in the journal, and a continue has it reviewed
		return s.pauseUnreviewed(v.check.Review, Rest, now)
	case v.accepted:
		s.addHistory(e, now, v, "ended")
		s.end(PromiseAccepted, "promise "+v.words(), now)
		return Action{Reason: reasonAccepted, Promise: v.words()}
	}
	if limit := s.atLimit(now); limit.status != "" {
		if len(e.Turn.Texts) == 0 && !e.Waited && !e.Minimal {
			return Action{Kind: AwaitText}
		}
		s.addHistory(e, now, v, "ended")
		s.end(limit.status, s.summary(limit, now), now)
		s.dropPromise()
		return Action{Reason: limit.reason, Detail: limit.detail, Promise: v.words()}
	}
	s.dropPromise()
	s.countReview(v.check)
	return s.nextIteration(e, now, v)
}

// nextIteration pauses a loop that is stuck, if the user wants that, and else goes on
// to the next turn: by a follow-up, or at the session limit by typing.
func (s *State) nextIteration(e *Event, now time.Time, v verdict) Action {
	s.addHistory(e, now, v, string(Followup))
	switch {
	case s.isStruggling():
		return s.pauseStuck(pauseStruggling, Action{Reason: reasonStruggling, Detail: inARow(s.Evident), Promise: v.words()})
	case s.Reviews >= s.reviewRounds() && v.check.foundByReview():
		s.Notices = addOnce(s.Notices, v.why())
		return s.pauseStuck(pauseReview, Action{Reason: reasonReview, Detail: text.Count(s.Reviews, "time"), Promise: v.words()})
	case s.isIdle():
		return s.pauseStuck(pauseIdle, Action{Reason: reasonIdle, Detail: strconv.Itoa(s.Empty), Promise: v.words()})
	}
	action := Action{Kind: Followup, Reason: reasonNoPromise, Promise: v.words()}
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
	s.Rested = true
	return a
}

// nextTurn brings the agent to its next turn: by a follow-up, or at the session
// limit by typing.
func (s *State) nextTurn(e *Event, now time.Time, action Action, why string) Action {
	if s.FreshWait == freshWaiting || s.FreshWait != "" && !s.isFreshDue() { // a turn in this chat was not ours to end
		s.stayHere(now)
	}
	if s.isFreshDue() && s.Outer() {
		s.ChatSince = s.Iterations
		why = s.withDone(why)
	}
	switch {
	case s.isFreshDue(), s.isFreshNext() && !s.isSessionOver(e) && e.Typing != TypingPossible:
		return s.nextChat(e, now, action, why)
	case s.isSessionOver(e) && e.Typing != TypingImpossible:
		return s.startTyping(e, now, action)
	case s.isSessionOver(e):
		action.Kind, action.Reason, action.Detail = HandOver, ReasonSessionLimit, action.Why()
		s.handOver()
		action.Text = s.words(s.Iterations+1, why, true)
	default:
		if action = s.withTemplate(e, action, why); action.Kind == AskWords {
			return action
		}
	}
	s.noteAnswer(action, e, now)
	return action
}

// handOver waits for the user to send the continue line.
func (s *State) handOver() {
	s.setWaiting("Cursor's session limit is reached; type the continue line")
	s.Unseen = true
}

// noteAnswer records the answer to a stop. A hand-over needs no proof: the agent asks
// the user to send the line.
func (s *State) noteAnswer(a Action, e *Event, now time.Time) {
	s.Followup = SentFollowup{Replaced: s.Followup.Replaced}
	if a.Kind == Followup {
		s.openFollowup(e, a.Text, now)
	}
	s.markDelivered()
	s.LastFollowup = a.Text
}

// setAction writes what follows an iteration into its record.
func (s *State) setAction(action string) { s.History[len(s.History)-1].Action = action }

// startTyping lets the continue line be typed, once it is known that this is
// possible. The agent gets nothing now: what waits for a continuation goes with
// the one that the line brings.
func (s *State) startTyping(e *Event, now time.Time, a Action) Action {
	if e.Typing == typingUnknown {
		return Action{Kind: AskTyping}
	}
	s.openInjection(false, now)
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
	s.Journal.Tools = t.IDs
	if t.Compacted {
		s.noteSession()
	}
	s.AskedIn = "" // its turn is over
}

// markDelivered empties what waited for a continuation, which has the task in it, and
// records the context with the iteration before it.
func (s *State) markDelivered() {
	if n := len(s.History); n > 0 {
		last := &s.History[n-1]
		last.Context = slices.Concat(last.Context, s.Context)
	} else {
		s.Carried.Context = slices.Concat(s.Carried.Context, s.Context)
	}
	s.noteRepeated()
	s.Context, s.Notices, s.TaskDue = nil, nil, false
}

// duplicateWindow is how close two reports of one stop are, when our hook is
// installed in two places: Cursor runs all hooks of an event at once.
const duplicateWindow = time.Second

// busyWindow is how far apart they may begin on a busy machine, if nothing happened
// since the first.
const busyWindow = 10 * time.Second

// SawStop reports whether a stop event was decided a moment ago: if our hook is
// installed in two places, Cursor runs it twice.
func (s *State) SawStop(e *Event, now time.Time) bool {
	return s.hasStopWithin(duplicateWindow, e, now)
}

// hasBusyStop is SawStop on a machine so busy that the two copies begin seconds
// apart. Then the generation and the count must match, with no sign of the agent
// since.
func (s *State) hasBusyStop(e *Event, now time.Time) bool {
	silent := !e.Minimal && !e.Turn.isActive() && !e.Turn.Followed && !e.Turn.Prompted
	return silent && e.Generation != "" && s.hasStopWithin(busyWindow, e, now)
}

func (s *State) hasStopWithin(window time.Duration, e *Event, now time.Time) bool {
	last := s.LastStop
	if e.Generation == s.ConversationID && e.Turn.hasCalls() {
		return false // all turns have one generation, and another was at work since
	}
	return !last.At.IsZero() && last.Generation == e.Generation && last.LoopCount == e.LoopCount &&
		last.Status == e.Status && e.began(now).Sub(last.At).Abs() < window
}
