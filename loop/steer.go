package loop

import (
	"cmp"
	"time"
)

// Caller is the source of a request in a chat; empty for a user at a terminal.
type Caller string

// The callers.
const (
	ByPrompt Caller = "prompt" // the user's message, which the prompt hook obeyed
	ByAgent  Caller = "agent"
)

// MayAgentGoOn reports whether an agent's own call may go on with the loop: it runs, or waits for its line. What the user has stopped,
// paused or cancelled, and what is at a limit, only the user takes up.
func (s *State) MayAgentGoOn() bool {
	return (s.Status == Running || s.Status == Waiting) && !s.Stop
}

func (s *State) onControl(e *Event, now time.Time) Action {
	switch e.Kind {
	case EventPause:
		s.callOff(deliveryPaused, now)
		if e.Text != "" { // by the hook, whose stop stays unanswered
			s.pause(pauseError, e.Text)
			s.Idle = true
			return Action{Reason: reasonTurnFailed, Detail: e.Text}
		}
		s.pause(PauseUser, "") // PauseReason has said it
		return Action{}
	case EventResume:
		return s.onResume(e, now)
	case EventCancel:
		why := cmp.Or(e.Text, "cancelled by the user")
		if e.By == ByAgent {
			why = "cancelled by the agent's call"
		}
		s.CancelledBy, s.AfterCancel, s.Unannounced = e.By, false, e.By == ByAgent
		s.end(Cancelled, why, now)
		return Action{Reason: reasonCancelled, Detail: why}
	case EventBlocked:
		s.Unannounced = e.By == ByAgent
		s.end(Blocked, e.Text, now)
		return Action{Reason: reasonBlocked, Detail: e.Text}
	case EventReplace:
		action := Action{Reason: reasonReplaced}
		s.end(Replaced, action.Why(), now)
		return action
	}
	return Action{}
}

func (s *State) pause(reason PauseReason, words string) {
	s.Status, s.PauseReason, s.Reason = Paused, reason, words
}

// Unreadable returns the loop paused because its file could not be read.
func (s State) Unreadable(why string) State {
	s.pause(pauseError, why)
	return s
}

// onResume sets a paused loop going. Where a stop went unanswered meanwhile, the
// agent is idle, and only a typed line brings it back.
func (s *State) onResume(e *Event, now time.Time) Action {
	if s.Status != Paused {
		return Action{Kind: Refuse, Reason: reasonNotPaused, Hint: "`cursor-ralph status` shows where it stands"}
	}
	if e.Folder != "" {
		s.Workspace, s.Folder, s.Tree = e.Folder, Folder{}, Tree{}
	}
	if s.Promised && !s.Outer() { // a run continues by itself, which asks too
		if action, done := s.judgeKept(e, now); done {
			return action
		}
	}
	if limit := s.atLimit(now); limit.status != "" {
		return limit.refuse()
	}
	s.resetStruggle()
	s.Reviews = 0
	s.Status, s.PauseReason, s.Reason = Running, "", ""
	if s.Idle {
		s.Status, s.Reason = Waiting, "resumed; the agent is idle until the continue line is typed"
	}
	if s.Idle && s.Outer() {
		s.Reason = "resumed; the run goes on"
	}
	s.reopenFollowup(now)
	return Action{}
}

// judgeKept asks the gates about the promise of the turn in which the loop was paused, where the caller can wait for them; else the
// continue line asks.
func (s *State) judgeKept(e *Event, now time.Time) (action Action, done bool) {
	if e.Verified.ID != s.Verifying.ID {
		e.Verified = Verification{}
	}
	v := s.judge(e)
	switch {
	case v.asks && !e.Gates:
		return Action{}, false
	case v.asks && s.IsVerifying(now):
		return Action{Kind: Refuse, Reason: reasonVerifyOpen, Hint: "wait until it ends, or cancel the loop"}, true
	case v.asks:
		s.beginVerifying(now)
		return Action{Kind: AskVerify, Reason: reasonVerifying}, true
	}
	s.Verifying = Verifying{}
	s.takeTasks(v.check.Tasks)
	switch {
	case v.check.isUnanswered():
		return s.pauseUnanswered(v.check, Refuse, now), true
	case v.accepted:
		s.Iterations = min(s.Iterations+1, s.MaxIterations)
		s.addHistory(e, now, v, "ended")
		s.end(PromiseAccepted, "promise "+v.String(), now)
		return Action{Reason: reasonAccepted, Promise: v.String()}, true
	}
	s.countReview(v.check)
	s.dropPromise()
	s.Notices = addOnce(s.Notices, v.why())
	return Action{}, false
}

// isPauseCrossed reports whether a pause and our line were on their way at once:
// the pause, which ended the injection, is the later wish.
func (s *State) isPauseCrossed(now time.Time) bool {
	d := s.Delivery
	return s.Status == Paused && d.IsLine() && d.Outcome == deliveryPaused && now.Sub(d.ClosedAt).Abs() < crossWindow
}

// isStopCrossed reports whether the user's Stop or cancel and our line were on their
// way at once: Cursor may send what waited when the turn was stopped.
func (s *State) isStopCrossed(now time.Time) bool {
	ended := s.Status == UserStopped || s.Status == Cancelled
	return ended && s.Delivery.IsLine() && s.Delivery.Outcome != Arrived && now.Sub(s.EndedAt).Abs() < crossWindow
}

func (s *State) stopCrossed() Action {
	return Action{Kind: Refuse, Reason: reasonStopCrossed, Line: ContinueLine(s.ShortID()), Hint: "the user sends " + ContinueLine(s.ShortID()) + " to go on"}
}

// isOvertaken reports whether the loop was paused or cancelled after its line had come,
// and before the agent's own call about that line.
func (s *State) isOvertaken(e *Event) bool {
	return (s.Status == Paused || s.Status == Cancelled) && !e.FromLine && s.hasLine()
}

func (s *State) pauseCrossed() Action {
	return Action{Kind: Refuse, Reason: reasonPauseCrossed, Line: ContinueLine(s.ShortID()), Hint: "the user sends " + ContinueLine(s.ShortID()) + " to go on, or runs cursor-ralph resume " + s.ShortID()}
}

// resetStruggle forgets the struggle: the user has looked at the loop.
func (s *State) resetStruggle() {
	s.Struggle, s.LastAnswer, s.Unchanged, s.UnchangedSeen, s.Empty = "", "", 0, 0, 0
}
