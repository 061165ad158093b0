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

// VerifyLimit is how long the command of --verify may take.
func (s *State) VerifyLimit() time.Duration {
	return cmp.Or(max(0, time.Duration(s.VerifyTimeout)), defaultVerifyTimeout)
}

// ReviewLimit is how long the review may take.
func (s *State) ReviewLimit() time.Duration {
	return cmp.Or(max(0, time.Duration(s.ReviewTimeout)), defaultReviewTimeout)
}

const defaultReviewTimeout = 10 * time.Minute

// TasksLimit is how long it may take to read the task list.
const TasksLimit = 10 * time.Second

// RoundLimit is how long the gate round of a promise may take.
func (s *State) RoundLimit() time.Duration {
	var limit time.Duration
	if s.Verify != "" {
		limit += s.VerifyLimit()
	}
	if s.Review != "" {
		limit += s.ReviewLimit()
	}
	return max(limit, TasksLimit)
}

// leastTime is what a verification or a review gets at least, if the user has not said
// how long it may take and the stop hook has no room for the usual time of both.
const leastTime = 2 * time.Minute

// ReviewReserve is the time that a verification has to leave for the review.
func (s *State) ReviewReserve() time.Duration {
	if s.Review == "" {
		return 0
	}
	return cmp.Or(max(0, time.Duration(s.ReviewTimeout)), leastTime)
}

// leastRound is the time that the gate round of a promise needs.
func (s *State) leastRound() time.Duration {
	if s.Verify == "" || s.Review == "" {
		return s.RoundLimit()
	}
	return cmp.Or(max(0, time.Duration(s.VerifyTimeout)), leastTime) + s.ReviewReserve()
}

// VerifyRoom is how long a gate round may take in a stop hook with this timeout.
func VerifyRoom(timeout time.Duration) time.Duration {
	return max(timeout-time.Minute, timeout/2)
}

// Misfit says in words that the gate round takes longer than Cursor waits for the stop
// entry of a hooks.json; empty if it does not, or the entry's timeout is not known.
func (s *State) Misfit(timeout time.Duration, hooks string) string {
	slow := s.Verify != "" || s.Review != ""
	if !slow || timeout <= 0 || s.leastRound() <= VerifyRoom(timeout) {
		return ""
	}
	verify, review := "--verify-timeout "+text.Exactly(s.VerifyLimit()), "--review-timeout "+text.Exactly(s.ReviewLimit())
	options := verify + " and " + review + " are"
	switch {
	case s.Review == "":
		options = verify + " is"
	case s.Verify == "":
		options = review + " is"
	}
	return fmt.Sprintf("%s more than Cursor waits for: the stop entry in %s has room for %s", options, hooks, text.Exactly(VerifyRoom(timeout)))
}

// GateWords names what a promise has to pass beside the rules.
func (s *State) GateWords() string {
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
