package loop

import (
	"cmp"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// StallAfter is how long a running loop may be silent before it counts as stalled, unless the user's settings say otherwise.
const StallAfter = 30 * time.Minute

// StallsAt is when a loop will count as stalled if no event comes for the time after, 0 for StallAfter; zero if it
// cannot stall: one that waits for a permission is not silent.
func (s *State) StallsAt(after time.Duration) time.Time {
	if s.Status != Running || s.IsAsking() || s.EventAt.IsZero() {
		return time.Time{}
	}
	return s.EventAt.Add(cmp.Or(after, StallAfter))
}

// Moments are the times at which the loop stands otherwise though nothing happens.
func (s *State) Moments(stallAfter time.Duration) []time.Time {
	moments := []time.Time{s.StallsAt(stallAfter), s.Delivery.DueAt}
	if !s.EventAt.IsZero() {
		moments = append(moments, s.EventAt.Add(StaleAfter+1))
	}
	if s.Delivery.IsLine() {
		moments = append(moments, s.Delivery.OpenedAt.Add(lineWait))
	}
	if s.LastTurn {
		moments = append(moments, s.EventAt.Add(quiet))
	}
	if s.Verifying.ID != "" {
		moments = append(moments, s.Verifying.Since.Add(s.RoundLimit()+verifyGrace))
	}
	return moments
}

// IsStalled reports whether a running loop has been silent for too long. A
// verification that runs is not silence.
func (s *State) IsStalled(after time.Duration, now time.Time) bool {
	at := s.StallsAt(after)
	return !at.IsZero() && !now.Before(at) && !s.IsVerifying(now)
}

// NeedsStallNotice reports whether nothing was done yet about this stall.
func (s *State) NeedsStallNotice(after time.Duration, now time.Time) bool {
	return s.IsStalled(after, now) && !s.StalledAt.Equal(s.EventAt)
}

// onStalled notes a stall and notifies the user once.
func (s *State) onStalled(e *Event, now time.Time) Action {
	if !s.NeedsStallNotice(e.StallAfter, now) {
		return Action{}
	}
	s.StalledAt = s.EventAt
	return Action{Kind: Notify, Reason: reasonStalled, Detail: text.Duration(now.Sub(s.EventAt))}
}
