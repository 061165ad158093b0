package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// IsSettable reports whether an option is a limit or a gate, which may change while a loop lives.
func IsSettable(option string) bool {
	return IsLimit(option) || slices.Contains([]string{"min-iterations", "min-tool-calls", "verify", "tasks", "review", "gate-timeout", "review-rounds"}, option)
}

// onSet changes limits and gates.
func (s *State) onSet(e *Event, now time.Time) Action {
	next, err := s.WithOptions(e.Options)
	if err != nil {
		return Action{Kind: Refuse, Reason: reasonNotSet, Detail: err.Error(), Hint: "nothing was changed; `cursor-ralph help set` shows the options"}
	}
	gated := !next.Commands.Equal(s.Commands)
	if gated && s.IsVerifying(now) {
		return Action{Kind: Refuse, Reason: reasonVerifyOpen, Hint: "nothing was changed; wait until it ends"}
	}
	if a := s.tooLow(&Event{Continue: limitsOf(e.Options, next)}, now); a.Kind == Refuse {
		return a
	}
	before := *s
	*s = next
	s.noteChanges(&before, e.By)
	if gated {
		s.Notices = addOnce(s.Notices, s.newGates())
	}
	if slices.ContainsFunc(e.Options, func(d Default) bool { return d.Name == "max-tokens" }) {
		s.setMaxTokens(s.MaxTokens)
	}
	return Action{}
}

// Change is a limit or a gate that was given another value.
type Change struct {
	Option string `json:"option"`
	Old    string `json:"old"` // empty for none
	New    string `json:"new"`
	By     string `json:"by"` // user or agent
}

// String describes the change.
func (c Change) String() string {
	return fmt.Sprintf("--%s is now %s, was %s (by the %s)", c.Option, cmp.Or(c.New, "none"), cmp.Or(c.Old, "none"), c.By)
}

// noteChanges records for the next iteration in what the loop differs from before.
func (s *State) noteChanges(before *State, by Caller) {
	who := "user"
	if by == ByAgent {
		who = "agent"
	}
	old := before.settings()
	for i, now := range s.settings() {
		if now.Value != old[i].Value {
			s.Uncounted.Changes = append(slices.Clone(s.Uncounted.Changes), Change{now.Name, old[i].Value, now.Value, who})
		}
	}
}

// settings are the options that may change, with their values.
func (s *State) settings() []Default {
	list := []Default{{Name: "verify", Value: s.Verify}, {Name: "tasks", Value: s.Tasks}, {Name: "review", Value: s.Review}}
	for _, d := range []struct {
		name  string
		value Duration
	}{{"max-duration", s.MaxDuration}, {"gate-timeout", s.GateTimeout}} {
		value := ""
		if d.value > 0 {
			value = text.Exactly(time.Duration(d.value))
		}
		list = append(list, Default{Name: d.name, Value: value})
	}
	for _, n := range []struct {
		name  string
		value int64
	}{{"max-iterations", int64(s.MaxIterations)}, {"min-iterations", int64(s.MinIterations)}, {"max-tokens", s.MaxTokens}, {"min-tool-calls", int64(s.MinToolCalls)}, {"review-rounds", int64(s.ReviewRounds)}} {
		value := ""
		if n.value > 0 {
			value = strconv.FormatInt(n.value, 10)
		}
		list = append(list, Default{Name: n.name, Value: value})
	}
	return list
}

// WithOptions returns a loop in which these options have another value.
func (s State) WithOptions(options []Default) (State, error) {
	r := Request{State: s.clone()}
	for _, d := range options {
		o, ok := FindOption(Options(), d.Name)
		if !ok || !IsSettable(d.Name) {
			continue
		}
		if err := o.Set(&r, d.Value); err != nil {
			return s, err
		}
	}
	if r.State.Tasks != s.Tasks {
		r.State.Baseline, r.State.TaskCount = 0, nil
	}
	return r.State, r.Check()
}

// limitsOf are the new limits.
func limitsOf(options []Default, l State) Continue { return Request{State: l, given: options}.Limits() }

// newGates tells the agent what its promise has to pass from now on.
func (s *State) newGates() string {
	if !s.IsGated() {
		return "The user has changed the loop: no gate checks the promise any more."
	}
	return "The user has changed the loop: the promise now has to pass " + Unmarked(s.GateNames()) + "."
}
