package loop

import (
	"slices"
	"time"
)

// deliveryAtStop returns what a stop proves about the follow-up that began its turn.
func (e *Event) deliveryAtStop() Outcome {
	switch {
	case e.Turn.Followed:
		return FollowupShown
	case e.Status == Completed && e.Turn.isActive():
		return FollowupUnshown
	}
	return deliveryClosed
}

// closeFollowup is close for a follow-up.
func (s *State) closeFollowup(outcome Outcome, now time.Time) {
	if s.Delivery.Way == WayFollowup {
		s.close(outcome, now)
	}
}

// closeLine is close for a line.
func (s *State) closeLine(outcome Outcome, now time.Time) {
	if s.Delivery.IsLine() {
		s.close(outcome, now)
	}
}

// onOwnMessage is our own follow-up in the prompt hook. One that was given up as lost calls its line off.
func (s *State) onOwnMessage(now time.Time) Action {
	s.Shown = true
	s.closeFollowup(FollowupShown, now)
	if s.Delivery.Again {
		s.closeLine(followupArrived, now)
		s.Delivery.Again, s.Idle = false, false
		if s.Status == Waiting {
			s.setRunning()
		}
	}
	return Action{}
}

// isProvedBy reports whether events since the stop prove that the follow-up
// arrived. Late events of the turn that stopped prove nothing; in a Cursor whose
// generation_id is always the conversation's id [seen] they look the same, and
// then any event counts.
func (s *State) isProvedBy(t Turn) bool {
	if t.Followed {
		return true
	}
	of := s.Delivery.Generation
	constant := of == "" || of == s.ConversationID
	return slices.ContainsFunc(t.Generations, func(g string) bool { return constant || g != of })
}

// IsOverdue reports whether a follow-up has been open for too long. Where the prompt hook
// has seen none of the loop's, that means nothing.
func (s *State) IsOverdue(now time.Time) bool {
	return s.Status == Running && !s.Stop && s.Shown && s.Delivery.IsFollowup() && !now.Before(s.Delivery.DueAt)
}

// onFollowupLost gives up on an overdue follow-up, unless the journal proves that
// it arrived, and has the continue line sent instead.
func (s *State) onFollowupLost(e *Event, now time.Time) Action {
	switch {
	case s.Delivery.ID != e.Followup || !s.IsOverdue(now):
		return Action{}
	case s.isProvedBy(e.Turn):
		s.closeFollowup(FollowupUnshown, now)
		return Action{}
	}
	s.redeliver(e, now)
	s.setWaiting("the last follow-up was lost; it is being delivered again")
	return Action{Kind: Inject, Reason: reasonFollowupLost}
}

// lostText is the text of a lost follow-up, for its second delivery; empty if
// the last one was not lost.
func (s *State) lostText() string {
	if !s.Delivery.Again {
		return ""
	}
	return s.withUnsaid(s.LastFollowup)
}
