package loop

import (
	"slices"
	"strings"
	"time"
)

// onMessage records a message to the agent. A user message begins a
// new session and sets an idle agent to work; our own follow-up does neither.
func (s *State) onMessage(e *Event, now time.Time) Action {
	if e.Composer != "" {
		s.PlanMode = e.Composer == PlanComposer
	}
	if s.IsOwn(e.Text) {
		return s.onOwnMessage(now)
	}
	if e.Generation != s.Due.In && !s.Due.Brought {
		s.Due.In = "" // another turn begins
	}
	s.MessageAt = now
	s.closeFollowup(deliveryClosed, now)
	s.stayByLine(now)
	if !s.IsLine(e.Text) {
		s.stayHere(now)
		if s.Delivery.IsTyping(now) {
			s.setWaitReason("a message of the user came first; the loop goes on when the agent stops")
		}
		s.closeLine(userFirst, now)
		s.Empty, s.Promised = 0, false
	}
	s.SessionIterations, s.Idle = 0, false
	return Action{}
}

// PlanComposer is the mode of Cursor's composer in which its agent plans.
// Source: reports of Cursor 3.21.
const PlanComposer = "plan"

// Plans reports whether the loop's agent plans and changes nothing.
func (s *State) Plans() bool { return s.Plan || s.PlanMode }

// IsLine reports whether a message may be the continue line of a loop, typed
// or with the slash command's text around it: Cursor may show a hook either.
func (s *State) IsLine(text string) bool {
	return slices.ContainsFunc([]string{s.ConversationID, s.ShortID()}, func(id string) bool {
		return strings.Contains(text, "--continue "+id) || strings.Contains(text, "--continue="+id)
	})
}

// lineWindow is how long after a continue line its agent's own call may come.
const lineWindow = 2 * time.Minute

// IsOwn reports whether a message is the follow-up that the loop sent last.
func (s *State) IsOwn(text string) bool {
	return s.LastFollowup != "" && strings.TrimSpace(text) == strings.TrimSpace(s.LastFollowup)
}
