package loop

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// A gate round checks a promise that has met the rules: the tasks, then the command of
// --verify, then the review. The first refusal ends the round.

// IsGated reports whether a promise has to pass a gate beside the rules.
func (s *State) IsGated() bool { return s.Tasks != "" || s.Verify != "" || s.Review != "" }

// IsSurveyed reports whether the end of a turn needs a Survey.
func (s *State) IsSurveyed() bool { return s.Tasks != "" || s.Checkpoints || s.Review != "" }

// GateLimit is how long the command of --verify may take, and how long the review may.
func (s *State) GateLimit() time.Duration {
	return cmp.Or(max(0, time.Duration(s.GateTimeout)), defaultGateTimeout)
}

// TasksLimit is how long it may take to read the task list.
const TasksLimit = 10 * time.Second

// RoundLimit is how long the gate round of a promise may take.
func (s *State) RoundLimit() time.Duration {
	var limit time.Duration
	if s.Verify != "" {
		limit += s.GateLimit()
	}
	if s.Review != "" {
		limit += s.GateLimit()
	}
	return max(limit, TasksLimit)
}

// VerifyRoom is how long a gate round may take: Cursor waits for the stop hook for StopTimeout.
const (
	VerifyRoom  = 55 * time.Minute
	StopTimeout = VerifyRoom + 6*time.Minute
)

// GatesProblem says in words that the gate round may take longer than Cursor waits for the stop hook;
// empty if it does not.
func (s *State) GatesProblem() string {
	slow := s.Verify != "" || s.Review != ""
	if !slow || s.RoundLimit() <= VerifyRoom {
		return ""
	}
	each := ""
	if s.Verify != "" && s.Review != "" {
		each = " each for the command and the review"
	}
	return fmt.Sprintf("--gate-timeout %s%s is more than Cursor waits for: the gates have %s together", text.Exactly(s.GateLimit()), each, text.Exactly(VerifyRoom))
}

// GateNames names what a promise has to pass beside the rules.
func (s *State) GateNames() string {
	var gates []string
	if s.Tasks != "" {
		gates = append(gates, "the tasks of "+s.Tasks)
	}
	if s.Verify != "" {
		gates = append(gates, s.Verify)
	}
	if s.Review != "" {
		gates = append(gates, "a review by "+s.Review)
	}
	return strings.Join(gates, ", then ")
}
