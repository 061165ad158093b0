package loop

import (
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

// Stall is what was done about the last stall of a loop.
type Stall struct {
	EventAt   time.Time `json:"event_at"`            // the last event before it
	Iteration int       `json:"iteration,omitempty"` // the number of iterations when the loop was continued
	Continued bool      `json:"continued,omitempty"`
}

// StallsAt is when a loop will count as stalled if no event comes; zero if it
// cannot stall: one that waits for a permission is not silent.
func (s *State) StallsAt() time.Time {
	if s.Status != Running || s.IsAsking() || s.StallAfter <= 0 || s.EventAt.IsZero() {
		return time.Time{}
	}
	return s.EventAt.Add(time.Duration(s.StallAfter))
}

// Turns are the moments at which the loop stands otherwise though nothing happens.
func (s *State) Turns() []time.Time {
	turns := []time.Time{s.StallsAt(), s.Injection.DueAt}
	if !s.EventAt.IsZero() {
		turns = append(turns, s.EventAt.Add(time.Duration(s.StaleAfter)+1))
	}
	if s.Verifying.ID != "" {
		turns = append(turns, s.Verifying.Since.Add(s.RoundLimit()+verifyGrace))
	}
	return turns
}

// IsStalled reports whether a running loop has been silent for too long. A
// verification that runs is not silence.
func (s *State) IsStalled(now time.Time) bool {
	at := s.StallsAt()
	return !at.IsZero() && !now.Before(at) && !s.IsVerifying(now)
}

// NeedsStallNotice reports whether nothing was done yet about this stall.
func (s *State) NeedsStallNotice(now time.Time) bool {
	return s.IsStalled(now) && !s.Stall.EventAt.Equal(s.EventAt)
}

// onStalled notes a stall. With --on-stall continue the loop is continued once
// between two stops: more lines do not help a chat that answers none.
func (s *State) onStalled(e *Event, now time.Time) Action {
	if !s.NeedsStallNotice(now) {
		return Action{}
	}
	silence := text.Duration(now.Sub(s.EventAt))
	again := s.Stall.Continued && s.Stall.Iteration == s.Iterations
	if s.OnStall != continueOnStall || s.Outer() || s.Stop || again {
		s.Stall.EventAt = s.EventAt
		return Action{Kind: Notify, Reason: reasonStalled, Detail: silence}
	}
	s.Stall = Stall{EventAt: s.EventAt, Iteration: s.Iterations, Continued: true}
	if s.Followup.IsOpen() && !s.Followup.isProvedBy(e.Turn, s.ConversationID) {
		return s.redeliver(reasonStalled, silence, now)
	}
	s.openInjection(false, now)
	s.setWaiting("the loop stalled (" + reasonStalled.words(silence) + "); the continue line is being sent")
	return Action{Kind: Inject, Reason: reasonStalled, Detail: silence}
}
