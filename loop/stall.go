package loop

import (
	"cmp"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// defaultStallAfter is how long a running loop may be silent before it counts as
// stalled.
const defaultStallAfter = 30 * time.Minute

// OnStall says what happens when a loop stalls.
type OnStall string

// The policies.
const (
	notifyOnStall   OnStall = "notify"
	continueOnStall OnStall = "continue" // bring the continue line into the chat, once per stall
)

// StallsAt is when a loop will count as stalled if no event comes; zero if it
// cannot stall: one that waits for a permission is not silent.
func (s *State) StallsAt() time.Time {
	if s.Status != Running || s.IsAsking() || s.StallAfter <= 0 || s.EventAt.IsZero() {
		return time.Time{}
	}
	return s.EventAt.Add(time.Duration(s.StallAfter))
}

// Moments are the times at which the loop stands otherwise though nothing happens.
func (s *State) Moments() []time.Time {
	moments := []time.Time{s.StallsAt(), s.Delivery.DueAt}
	if !s.EventAt.IsZero() {
		moments = append(moments, s.EventAt.Add(StaleAfter+1))
	}
	if s.Delivery.IsLine() {
		moments = append(moments, cmp.Or(s.Delivery.DueAt, s.Delivery.OpenedAt).Add(lineWait))
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
func (s *State) IsStalled(now time.Time) bool {
	at := s.StallsAt()
	return !at.IsZero() && !now.Before(at) && !s.IsVerifying(now)
}

// NeedsStallNotice reports whether nothing was done yet about this stall.
func (s *State) NeedsStallNotice(now time.Time) bool {
	return s.IsStalled(now) && !s.StalledAt.Equal(s.EventAt)
}

// onStalled notes a stall. With --on-stall continue the loop is continued once
// between two stops: more lines do not help a chat that answers none.
func (s *State) onStalled(e *Event, now time.Time) Action {
	if !s.NeedsStallNotice(now) {
		return Action{}
	}
	silence := text.Duration(now.Sub(s.EventAt))
	s.StalledAt = s.EventAt
	again := s.StallLine == s.Iterations+1
	if s.OnStall != continueOnStall || s.Outer() || s.Host != "" || s.Stop || again {
		return Action{Kind: Notify, Reason: reasonStalled, Detail: silence}
	}
	s.StallLine = s.Iterations + 1
	s.redeliver(e, now)
	s.setWaiting("the loop stalled (" + reasonStalled.text(silence) + "); the continue line is being sent")
	return Action{Kind: Inject, Reason: reasonStalled, Detail: silence}
}
