package loop

import (
	"slices"
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// IsSettable reports whether an option is a limit or a gate, which may change while a loop lives.
func IsSettable(option string) bool {
	return slices.Contains(settable[:], option)
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
	return Action{}
}

// Change is a limit or a gate that was given another value.
type Change struct {
	Option string `json:"option"`
	Old    string `json:"old"` // empty for none
	New    string `json:"new"`
	By     string `json:"by"` // user or agent
}

// noteChanges records for the next iteration in what the loop differs from before.
func (s *State) noteChanges(before *State, by Caller) {
	who := "user"
	if by == ByAgent {
		who = "agent"
	}
	old, now := before.settings(), s.settings()
	for i, name := range settable {
		if now[i] != old[i] {
			s.Uncounted.Changes = append(slices.Clip(s.Uncounted.Changes), Change{name, old[i], now[i], who})
		}
	}
}

// settable are the options that may change while a loop lives.
var settable = [...]string{"verify", "tasks", "review", "max-duration", "gate-timeout", "max-iterations", "min-iterations", "min-tool-calls", "max-tokens"}

// settings are the values of these options, empty for no limit or gate.
func (s *State) settings() (values [len(settable)]string) {
	values[0], values[1], values[2] = s.Verify, s.Tasks, s.Review
	for i, d := range [...]time.Duration{time.Duration(s.MaxDuration), s.GateLimit()} {
		if d > 0 {
			values[3+i] = text.Exactly(d)
		}
	}
	for i, n := range [...]int64{int64(s.MaxIterations), int64(s.MinIterations), int64(s.MinToolCalls), s.MaxTokens} {
		if n > 0 {
			values[5+i] = strconv.FormatInt(n, 10)
		}
	}
	return values
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
