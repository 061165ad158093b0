package loop

import (
	"slices"
	"strings"
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

// onOwnMessage is our own follow-up in the prompt hook. If it was given up as
// lost, its second delivery is cancelled, or, if that came first, the follow-up is
// kept back: the agent gets one of the two.
func (s *State) onOwnMessage(now time.Time) Action {
	s.Shown = true
	switch {
	case s.isReplaced(s.LastFollowup), s.Delivery.Again && s.Delivery.Outcome == Arrived:
		return lateFollowup()
	case s.Delivery.Again:
		s.callOffAgain(now)
		return Action{}
	}
	s.closeFollowup(FollowupShown, now)
	return Action{}
}

// isReplaced reports whether a message is a follow-up whose place another
// continuation took. It may come late even after the turn of that one.
func (s *State) isReplaced(text string) bool {
	return s.Delivery.LateFollowup != "" && s.Delivery.LateFollowup == textSum(text)
}

func textSum(text string) string { return sum([]byte(strings.TrimSpace(text))) }

func lateFollowup() Action {
	return Action{Kind: Refuse, Reason: reasonFollowupLate}
}

// callOffAgain is a follow-up that arrived after all, while its second delivery is on
// its way.
func (s *State) callOffAgain(now time.Time) {
	if d := &s.Delivery; d.mayCome() {
		d.Outcome, d.ClosedAt = followupArrived, now
	}
	s.Delivery.Again = false
	s.noteLost(FollowupLate)
	context, said := split(s.Context, s.LastFollowup)
	notices, _ := split(s.Notices, s.LastFollowup)
	s.Context = said
	s.markDelivered()
	s.Context, s.Notices = context, notices
	s.Idle = false
	if s.Status == Waiting {
		s.Status, s.Reason = Running, ""
	}
}

// split parts the items that a text does not contain from those that it does.
func split(items []string, text string) (missing, contained []string) {
	for _, item := range items {
		if strings.Contains(text, item) {
			contained = append(contained, item)
		} else {
			missing = append(missing, item)
		}
	}
	return missing, contained
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

// onFollowupProved calls the second delivery off, if the journal proves by now
// that the first one arrived.
func (s *State) onFollowupProved(e *Event, now time.Time) {
	if s.Delivery.Again && s.Delivery.IsTyping(now) && s.isProvedBy(e.Turn) {
		s.callOffAgain(now)
	}
}

// lostText is the text of a lost follow-up, for its second delivery; empty if
// the last one was not lost.
func (s *State) lostText() string {
	if !s.Delivery.Again {
		return ""
	}
	return s.withUnsaid(s.LastFollowup)
}
