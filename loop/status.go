package loop

import (
	"time"
)

// Status is where a loop stands.
type Status string

// The statuses of a loop. Those in capitals have ended.
const (
	Running         Status = "running"
	Waiting         Status = "waiting" // for a typed or by-hand continuation
	Paused          Status = "paused"
	PromiseAccepted Status = "PROMISE_ACCEPTED"
	MaxIterations   Status = "MAX_ITERATIONS_REACHED"
	MaxDuration     Status = "MAX_DURATION_REACHED"
	MaxTokens       Status = "MAX_TOKENS_REACHED"
	UserStopped     Status = "USER_STOPPED"
	Cancelled       Status = "CANCELLED"
	Blocked         Status = "BLOCKED"
	Replaced        Status = "REPLACED"
)

// PauseReason is why a loop is paused.
type PauseReason string

// The reasons of a pause.
const (
	PauseUser       PauseReason = "user"
	pauseError      PauseReason = "error"
	pauseStruggling PauseReason = "struggling"
	pauseIdle       PauseReason = "idle"
	pauseStale      PauseReason = "stale"
	pauseReview     PauseReason = "review"
	pauseVerify     PauseReason = "verify"
)

// Ended reports whether a loop with this status is over.
func (s Status) Ended() bool {
	switch s {
	case PromiseAccepted, MaxIterations, MaxDuration, MaxTokens, UserStopped, Cancelled, Blocked, Replaced:
		return true
	}
	return false
}

// Resumable reports whether a loop with this status can be continued.
func (s Status) Resumable() bool {
	return s != PromiseAccepted && s != Replaced
}

// Pauses are the time in which a loop did not work: it was paused, or over and
// later taken up again.
type Pauses struct {
	Since  time.Time `json:"since,omitzero"`   // it has paused since then
	Total  Duration  `json:"total,omitempty"`  // of all pauses before
	Before Duration  `json:"before,omitempty"` // of all pauses up to the end of the last iteration
}

// Worked returns how long a loop has worked: not at all before a chat has taken it.
// A pause is no work.
func (s *State) Worked(now time.Time) time.Duration {
	if s.StartedAt.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.StartedAt)-s.pausedFor(now))
}

// pausedFor is how long the loop has paused in all.
func (s *State) pausedFor(now time.Time) time.Duration {
	total := time.Duration(s.Pauses.Total)
	if since := s.Pauses.Since; !since.IsZero() {
		total += max(0, now.Sub(since))
	}
	return total
}

// isResting reports whether the loop does not work: it is paused, over, or waits for its user
// or a line. In the last turn before the user has to send it the agent works.
func (s *State) isResting(now time.Time) bool {
	return s.Status == Paused || s.Status.Ended() || s.Status == Waiting && !s.IsLastTurn(now)
}

// countPauses begins a pause, or ends that of the state before the event.
func (s *State) countPauses(before *State, now time.Time) {
	switch was, is := before.isResting(now), s.isResting(now); {
	case is && !was:
		s.Pauses.Since = now
	case was && !is:
		s.Pauses.Total, s.Pauses.Since = Duration(before.pausedFor(now)), time.Time{}
	}
}
