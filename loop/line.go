package loop

import "time"

// Injecting reports whether this line is still wanted; the typer asks before
// every key. One that the user requested is wanted whatever the status, unless a
// stop came later.
func (s *State) Injecting(id string, now time.Time) bool {
	d := s.Delivery
	switch {
	case d.ID != id || !d.IsTyping(now) || s.Status.Ended():
		return false
	case d.Asked:
		return s.Stop == d.Stopped
	}
	return s.Status == Waiting && !s.Stop
}

// onInject sends a line that the user requested. The line, when it arrives,
// revokes a pause or a stop; the request does not.
func (s *State) onInject(e *Event, now time.Time) Action {
	if s.Outer() {
		return s.refuseOuter(now)
	}
	if s.Host != "" {
		return Action{Kind: Refuse, Reason: reasonNoTyping, Detail: s.Host, Line: ContinueLine(s.ConversationID), Hint: "send the line there"}
	}
	if s.Delivery.IsTyping(now) {
		return Action{Kind: Refuse, Reason: reasonTypingAlready, Hint: "wait for it, or cancel the loop"}
	}
	s.openLine(e, now)
	s.Delivery.Asked, s.Delivery.Stopped = true, s.Stop
	return Action{Kind: Inject, Reason: reasonAskedFor}
}

// onInjected takes in how the typing of a line went. Evidence that was seen decides its
// outcome, not the report.
func (s *State) onInjected(report Delivery, now time.Time) {
	d, ok := s.LineOf(report.ID)
	if !ok {
		return
	}
	d.Method, d.Milliseconds, d.Tries = report.Method, report.Milliseconds, report.Tries
	switch {
	case d.Outcome != Open:
	case d.IsTyping(now):
		d.Outcome, d.ClosedAt = report.Outcome, now
	default:
		d.Outcome, d.ClosedAt = lineUnreported, now
	}
	if d.ID == s.Delivery.ID {
		s.Delivery = d
		if s.Idle && d.Outcome != Arrived {
			s.setWaitReason(d.notTyped())
		}
	}
	s.recordLine(d)
}

// setWaitReason says why a loop waits; one that does not has other reasons.
func (s *State) setWaitReason(reason string) {
	if s.Status == Waiting {
		s.Reason = reason
	}
}

func (d Delivery) notTyped() string {
	if d.Way == WayNewChat {
		return "no new chat went on with the loop (" + string(d.Outcome) + "); open one and send the continue line there"
	}
	return "typing the continue line did not work (" + string(d.Outcome) + "); type it yourself"
}

// refuseLine keeps back a continue line that must not go on here: one that comes on top of
// something else, or to another chat than it is for. While our line is on its way, a
// chat that is not the loop's was in front by mistake.
func (s *State) refuseLine(e *Event, now time.Time) (refused Action, ok bool) {
	d, elsewhere := &s.Delivery, s.isElsewhere(e)
	if e.Verified.ID != "" || !e.FromLine && !elsewhere {
		return Action{}, false
	}
	switch {
	case s.isPauseCrossed(now):
		return s.pauseCrossed(), true
	case !elsewhere:
		return Action{}, false
	}
	if refused, ok = s.refuseNewChat(e, now); ok {
		return refused, true
	}
	switch {
	case d.Way != WayNewChat && d.IsTyping(now):
		s.closeLine(keptBack, now)
		s.setWaitReason(d.notTyped())
		return Action{Kind: Refuse, Reason: reasonKeptBack, Hint: "bring the chat of its loop to the front and send there: " + ContinueLine(s.ShortID())}, true
	case e.Occupied:
		return refuseOccupied(), true
	}
	return Action{}, false
}

func refuseOccupied() Action {
	return Action{Kind: Refuse, Reason: reasonOccupied, Hint: "send the line in another chat, or cancel the loop of this one"}
}

// isElsewhere reports whether the line came in another chat than the loop's.
func (s *State) isElsewhere(e *Event) bool {
	return e.Conversation != "" && e.Conversation != s.ConversationID
}

// takeLine takes in that the continue line has reached its agent.
func (s *State) takeLine(e *Event, now time.Time) {
	elsewhere := s.isElsewhere(e)
	if e.Verified.ID != "" || !e.FromLine && !elsewhere {
		return
	}
	if !elsewhere {
		s.stayByLine(now)
		s.closeFollowup(deliveryClosed, now)
	}
	if !elsewhere || s.Delivery.Way == WayNewChat {
		s.noteArrival(now)
	}
	if e.FromLine {
		s.MessageAt, s.SessionIterations, s.Idle = now, 0, false
	}
}

// noteArrival takes in the evidence that the line reached its conversation.
func (s *State) noteArrival(now time.Time) {
	if s.Delivery.IsTyping(now) {
		s.setWaitReason("the continue line arrived; the agent continues the loop")
	}
	s.closeLine(Arrived, now)
}
