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
	if e.Generation != s.AskedIn {
		s.AskedIn = "" // another turn begins
	}
	s.ContinuedIn = ""
	if s.IsOwn(e.Text) {
		s.endLineTurn()
		return s.onOwnMessage(now)
	}
	if s.isReplaced(e.Text) {
		return lateFollowup()
	}
	s.MessageAt = now
	s.closeFollowup(followupClosed, now)
	s.Doubted = false
	if in := s.TypedIn(now); in == "" || in == s.ConversationID {
		s.stayByLine(now)
	}
	if !s.isContinue(e.Text) {
		s.stayHere(now)
		s.endLineTurn()
		if s.Injection.Open(now) {
			s.setWaitReason("a message of the user came first; the loop goes on when the agent stops")
		}
		s.Injection = s.Injection.close(lineUserFirst, now)
		s.Empty = 0
	}
	s.SessionIterations, s.Rested = 0, false
	return Action{}
}

// PlanComposer is the mode of Cursor's composer in which its agent plans.
// Source: reports of Cursor 3.21.
const PlanComposer = "plan"

// Guard is what is known of the plan guard, the hook that denies the agent of a
// plan loop what changes anything; empty where nobody looked.
type Guard string

// What is known of it.
const (
	GuardInstalled Guard = "installed"
	GuardMissing   Guard = "missing"
)

// Guarded reports whether the loop's agent plans and changes nothing.
func (s *State) Guarded() bool { return s.Plan || s.PlanMode }

// isContinue reports whether a message may be the continue line of a loop, typed
// or with the slash command's text around it: Cursor may show a hook either.
func (s *State) isContinue(text string) bool {
	return slices.ContainsFunc([]string{s.ConversationID, s.ShortID()}, func(id string) bool {
		return strings.Contains(text, "--continue "+id) || strings.Contains(text, "--continue="+id)
	})
}

// typedWindow is how long a typed continue line decides where a loop goes on.
const typedWindow = 2 * time.Minute

// TypedIn returns the conversation in which the continue line was typed just now.
func (s *State) TypedIn(now time.Time) string {
	if now.Sub(s.ContinueAt).Abs() > typedWindow {
		return ""
	}
	return s.ContinueIn
}

// IsOwn reports whether a message is the follow-up that the loop sent last.
func (s *State) IsOwn(text string) bool {
	return s.LastFollowup != "" && strings.TrimSpace(text) == strings.TrimSpace(s.LastFollowup)
}
