package loop

import (
	"fmt"
)

// verdict is what became of the promise in a turn.
type verdict struct {
	found    bool
	accepted bool
	asks     bool         // it is accepted if the verification passes
	refused  string       // why it was refused
	warning  string       // accepted, but
	check    Verification // zero where none was made
}

func (v verdict) name() string {
	switch {
	case v.accepted:
		return "accepted"
	case v.found:
		return "refused"
	}
	return "none"
}

func (v verdict) words() string {
	switch {
	case v.refused != "":
		return "refused: " + v.refused
	case v.warning != "":
		return "accepted with a warning: " + v.warning
	}
	return v.name()
}

// why is the first line of the continuation: why the agent is still here.
func (v verdict) why() string {
	switch {
	case !v.found:
		return "You stopped, but you gave no completion promise, so the task counts as unfinished."
	case v.check.Output != "":
		return "Your promise was refused: " + v.refused + ". The end of its output:\n" + fenced(v.check.Output)
	}
	return "Your promise was refused: " + v.refused + "."
}

// NoWork says what happens to a promise that too few tool calls stand behind.
type NoWork string

// The policies.
const (
	rejectNoWork NoWork = "reject"
	warnNoWork   NoWork = "warn"
	acceptNoWork NoWork = "accept"
)

// judge looks for the promise of an iteration and at the rules it has to meet,
// the verification last.
func (s *State) judge(e *Event, iteration int) verdict {
	return s.withVerification(s.ruled(e, iteration), e)
}

func (s *State) ruled(e *Event, iteration int) verdict {
	if !s.hasPromise(e.Turn.Texts) {
		return verdict{}
	}
	if iteration < s.MinIterations {
		return verdict{found: true, refused: fmt.Sprintf("this is iteration %d and the loop runs for at least %d", iteration, s.MinIterations)}
	}
	if s.ToolCalls >= s.MinToolCalls || s.NoWork == acceptNoWork {
		return verdict{found: true, accepted: true}
	}
	if s.Minimal {
		return verdict{found: true, accepted: true, warning: "tool calls are not seen by a minimal installation, so the rule about them was skipped"}
	}
	if s.Run.NoTools {
		return s.judgeWithoutTools(e)
	}
	missing := fmt.Sprintf("%d of the %d tool calls that a promise needs were made", s.ToolCalls, s.MinToolCalls)
	if s.NoWork == warnNoWork {
		return verdict{found: true, accepted: true, warning: missing}
	}
	return verdict{found: true, refused: missing + "; do the work first, with your tools"}
}

// dropPromise removes a promise that was refused: it must not count again by
// itself.
func (s *State) dropPromise() {
	if s.hasPromise(nil) {
		s.LastOutput = ""
	}
}
