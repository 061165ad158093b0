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

func (s *State) onControl(e *Event, now time.Time) Action {
	switch e.Kind {
	case EventPause:
		s.closeFollowup(followupPaused, now)
		s.closeLine(linePaused, now)
		s.ContinueIn = ""
		if s.Injection.Outcome == lineFollowupArrived {
			s.Injection.ClosedAt = now // its line may have been sent all the same
		}
		s.pause(PauseUser, "") // PauseReason has said it
		return Action{}
	case EventResume:
		return s.onResume(now)
	case EventCancel:
		why := cmp.Or(e.Text, "cancelled by the user")
		s.CancelledBy, s.SpokenIn, s.SpokenAt, s.Spoken = e.By, "", time.Time{}, ""
		s.ContinueIn = ""
		s.end(Cancelled, why, now)
		return Action{Reason: reasonCancelled, Detail: why}
	case EventBlocked:
		s.end(Blocked, e.Text, now)
		return Action{Reason: reasonBlocked, Detail: e.Text}
	case EventReplace:
		action := Action{Reason: reasonReplaced}
		s.end(Replaced, action.Why(), now)
		return action
	}
	return Action{}
}

//go:noinline
func (s *State) pause(reason PauseReason, words string) {
	s.Status, s.PauseReason, s.Reason, s.RetryAt = Paused, reason, words, time.Time{}
}

// onResume sets a paused loop going. Where a stop went unanswered meanwhile, the
// agent is idle, and only a typed line brings it back.
func (s *State) onResume(now time.Time) Action {
	if s.Status != Paused {
		return Action{Kind: Refuse, Reason: reasonNotPaused, Hint: "`cursor-ralph status` shows where it stands"}
	}
	if limit := s.atLimit(now); limit.status != "" {
		return limit.refuse()
	}
	s.resetStruggle()
	s.Reviews = 0
	s.Status, s.PauseReason, s.Reason = Running, "", ""
	if s.Rested {
		s.Status, s.Reason = Waiting, "resumed; the agent is idle until the continue line is typed"
	}
	if s.Rested && s.Outer() {
		s.Reason = "resumed; the run goes on"
	}
	s.reopenFollowup(now)
	return Action{}
}

// crossWindow is how long after a pause a line may still come that was sent
// before it.
const crossWindow = 5 * time.Second

// isPauseCrossed reports whether a pause and our line were on their way at once:
// the pause, which ended the injection, is the later wish.
func (s *State) isPauseCrossed(now time.Time) bool {
	over := s.Injection.Outcome == linePaused || s.Injection.Outcome == lineFollowupArrived
	return s.Status == Paused && over && now.Sub(s.Injection.ClosedAt).Abs() < crossWindow
}

// isStopCrossed reports whether the user's Stop or cancel and our line were on their
// way at once: Cursor may send what waited when the turn was stopped, and a line that
// it has queued when the turn is over.
func (s *State) isStopCrossed(now time.Time) bool {
	window := crossWindow
	if s.Status == Cancelled && s.Injection.Outcome == lineLoopEnded {
		window = typedWindow
	}
	ended := s.Status == UserStopped || s.Status == Cancelled
	return ended && s.Injection.ID != "" && s.Injection.Outcome != Arrived && now.Sub(s.EndedAt).Abs() < window
}

// noteCrossed notes that the line came which a cancel overtook: the next one is the
// user's, unless it is another report of this one.
func (s *State) noteCrossed(e *Event, now time.Time) {
	if !e.Asked && s.Status == Cancelled && s.Injection.Outcome == lineLoopEnded {
		s.Injection.Outcome, s.ContinueAt = lineCrossed, now
	}
}

func (s *State) stopCrossed() Action {
	return Action{Kind: Refuse, Reason: reasonStopCrossed, Hint: "the user sends " + ContinueLine(s.ConversationID) + " to go on"}
}

// isOvertaken reports whether the loop was paused or cancelled after its line had come,
// and before the agent requested the continuation.
func (s *State) isOvertaken() bool {
	return (s.Status == Paused || s.Status == Cancelled) && s.ContinueIn == "" && !s.ContinueAt.IsZero()
}

func (s *State) pauseCrossed() Action {
	return Action{Kind: Refuse, Reason: reasonPauseCrossed, Hint: "the user sends " + ContinueLine(s.ConversationID) + " to go on, or runs cursor-ralph resume " + Argument(s.ConversationID)}
}

// resetStruggle forgets struggle and failed turns: the user has looked at the loop.
func (s *State) resetStruggle() {
	s.Struggle, s.LastAnswer, s.Unchanged, s.Evident, s.Empty, s.Retries = "", "", 0, 0, 0, 0
}
