package loop

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Request is what a user requests with /ralph-loop or cursor-ralph start.
type Request struct {
	State    State  // the requested loop; its Prompt is the task
	Replace  bool   // it may take the place of a running one
	Continue string // the id of --continue; then there is no task
	File     string // of --file, which has the task; a caller who may read it does
	given    []Default
	emptied  []string          // given with an empty value, to turn off the user's default
	origins  map[string]string // of the options that a default set
}

// Given reports whether the user named the option.
func (r Request) Given(name string) bool {
	return slices.ContainsFunc(r.given, func(d Default) bool { return d.Name == name })
}

// Changes are the options that the user named, for a loop that is there.
func (r Request) Changes() []Default { return r.given }

// IsSet reports whether the user named the option, or has a default for it.
func (r Request) IsSet(name string) bool {
	_, set := r.origins[name]
	return set || r.Given(name)
}

// NoLimit is a limit that a continue takes away.
const NoLimit = -1

// Limits returns the new limits of a loop that is continued, 0 for those that stay.
func (r Request) Limits() (c Continue) {
	if r.Given("max-iterations") {
		c.MaxIterations = r.State.MaxIterations
	}
	if r.Given("max-duration") {
		c.MaxDuration = cmp.Or(r.State.MaxDuration, NoLimit)
	}
	if r.Given("max-tokens") {
		c.MaxTokens = cmp.Or(r.State.MaxTokens, NoLimit)
	}
	return c
}

// NewRequest returns a request with the default rules.
func NewRequest() Request { return Request{State: New()} }

// CheckLimits returns an error for an empty limit, which may be a script's variable that
// is not set.
func (r Request) CheckLimits() error {
	for _, name := range r.emptied {
		if IsLimit(name) {
			return fmt.Errorf("--%s: the value is empty; --no-%s takes the limit away", name, name)
		}
	}
	return nil
}

// Default is a user's own default of an option, and where it comes from.
type Default struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

// Fill sets the options that the user has not named to the user's defaults. They
// do not count as named.
func (r Request) Fill(defaults []Default) (Request, error) {
	for _, name := range r.emptied { // else it is a script's variable that is not set
		if !slices.ContainsFunc(defaults, func(d Default) bool { return d.Name == name && d.Value != "" }) {
			return r, fmt.Errorf("--%s: the value is empty, and your settings have none to turn off", name)
		}
	}
	filled, given := r, r.given
	filled.origins = map[string]string{}
	for _, d := range defaults {
		o, ok := FindOption(Options(), d.Name)
		if !ok || r.Given(d.Name) {
			continue
		}
		if err := o.Set(&filled, d.Value); err != nil {
			return r, fmt.Errorf("%w (from %s)", err, d.From)
		}
		filled.origins[d.Name] = d.From
	}
	filled.given = given
	return filled, nil
}

// Origin says of the first of these options that a default set where that is, and how
// to start without it; empty if the user gave one of them. It follows an error about them.
func (r Request) Origin(names ...string) string {
	if slices.ContainsFunc(names, r.Given) {
		return ""
	}
	for _, name := range names {
		from, ok := r.origins[name]
		if !ok {
			continue
		}
		if o, _ := FindOption(Options(), name); o.canBeOff() {
			return " (from " + from + "; --no-" + name + " starts without it)"
		}
		return " (from " + from + ")"
	}
	return ""
}

// Check returns an error for options that contradict each other.
func (r Request) Check() error {
	if s := r.State; s.MinIterations > s.MaxIterations {
		return fmt.Errorf("--min-iterations %d%s is more than --max-iterations %d%s: no promise could ever count",
			s.MinIterations, r.Origin("min-iterations"), s.MaxIterations, r.Origin("max-iterations"))
	}
	if s := r.State; s.Verify == "" && s.Review == "" && r.Given("gate-timeout") {
		return errors.New("--gate-timeout says how long --verify and --review may take, and there is neither")
	}
	return nil
}
