package loop

import (
	"slices"
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

// Pauses are the time in which a loop did not work: it was paused, over and
// later taken up again, or silent for long, as while the machine slept.
type Pauses struct {
	Since  time.Time `json:"since,omitzero"`   // it has paused since then
	Total  Duration  `json:"total,omitempty"`  // of all pauses before
	Before Duration  `json:"before,omitempty"` // of all pauses up to the end of the last iteration
	Seen   time.Time `json:"seen,omitzero"`    // silence up to then is in Total
}

// longSilence is how much of a silence counts as work.
const longSilence = 30 * time.Minute

// Silence is the part of the time between two events that is no work.
func Silence(from, to time.Time) time.Duration {
	if from.IsZero() {
		return 0
	}
	return max(0, to.Sub(from)-longSilence)
}

// seenAt is up to when silence is counted.
func (s *State) seenAt() time.Time { return latest(s.Pauses.Seen, s.StartedAt) }

func latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// addSilence counts the silences of the turn whose journal the event has.
func (s *State) addSilence(e *Event, now time.Time) {
	if e.Kind != EventStop && e.Kind != EventContinue || s.isResting(now) {
		return
	}
	last := latest(s.seenAt(), s.EventAt, e.Turn.seenAt)
	s.Pauses.Total += Duration(e.Turn.silent + Silence(last, now))
	s.Pauses.Seen = now
}

// Worked returns how long a loop has worked: not at all before a chat has taken it.
// A pause is no work, and of a silence only its beginning is.
func (s *State) Worked(now time.Time) time.Duration {
	if s.StartedAt.IsZero() {
		return 0
	}
	silent := time.Duration(0)
	if s.Pauses.Since.IsZero() && !s.Status.Ended() {
		silent = Silence(latest(s.seenAt(), s.EventAt), now)
	}
	return max(0, now.Sub(s.StartedAt)-s.pausedFor(now)-silent)
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
		if s.Pauses.Seen != now { // no journal was read
			s.Pauses.Total += Duration(Silence(latest(before.seenAt(), before.EventAt), now))
		}
		s.Pauses.Since = now
	case was && !is:
		s.Pauses.Total, s.Pauses.Since, s.Pauses.Seen = Duration(before.pausedFor(now)), time.Time{}, now
	}
}
