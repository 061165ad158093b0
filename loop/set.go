package loop

import (
	"slices"
	"time"
)

// IsSettable reports whether an option is a limit or a gate, which may change while a loop lives.
func IsSettable(option string) bool {
	return IsLimit(option) || slices.Contains([]string{"min-iterations", "min-tool-calls", "verify", "tasks", "review", "gate-timeout"}, option)
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
	*s = next
	if gated {
		s.Notices = addOnce(s.Notices, s.newGates())
	}
	return Action{}
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
