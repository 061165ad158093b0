package loop

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Option is one option of a loop. The same list serves the slash command, the
// prompt hook and the command line.
type Option struct {
	Name  string
	Arg   string // what the value is called; empty for a switch
	Usage string
	set   func(*Request, string) error
}

// Set applies a value. That of a switch is empty, true or false. The error says
// what is wrong with it.
func (o Option) Set(r *Request, value string) error {
	if o.set != nil {
		if err := o.set(r, value); err != nil {
			return fmt.Errorf("--%s: %w", o.Name, err)
		}
	}
	r.given = append(r.given, Default{Name: o.Name, Value: value})
	if value == "" && o.Arg != "" {
		r.emptied = append(r.emptied, o.Name)
	}
	return nil
}

// off is the value that turns an option off.
func (o Option) off() (value string, ok bool) {
	switch o.Name {
	case "verify", "tasks", "review", "on-end", "max-duration", "max-tokens":
		return "", true
	case "fresh-chat", "struggle-pause":
		return "0", true
	}
	return "false", o.Arg == ""
}

func (o Option) canBeOff() bool {
	_, ok := o.off()
	return ok
}

// Without returns the switch --no-NAME, which turns the option off for one loop; ok is
// false for an option that every loop has.
func (o Option) Without() (no Option, ok bool) {
	value, ok := o.off()
	return Option{Name: o.Name, set: func(r *Request, v string) error {
		if v != "" && v != "true" {
			return errors.New("its --no-" + o.Name + " takes no value")
		}
		return o.set(r, value)
	}}, ok
}

// Options lists the options of a loop.
func Options() []Option {
	return []Option{
		{"max-iterations", "N", "hard stop after `N` iterations, 1 to 10000 (default 20)",
			number(1, MaxMaxIterations, func(s *State) *int { return &s.MaxIterations })},
		{"min-iterations", "N", "refuse a promise before iteration `N` (default 1)",
			number(1, MaxMaxIterations, func(s *State) *int { return &s.MinIterations })},
		{"completion-promise", "TEXT", "the `TEXT` between <promise> and </promise> (default COMPLETE)", setPromise},
		{"promise-match", "HOW", "compare the promise `HOW`: exact or lenient (default exact)",
			oneOf(func(s *State) *Match { return &s.PromiseMatch }, matchExact, matchLenient)},
		{"min-tool-calls", "M", "a promise needs `M` tool calls (default 1)",
			number(0, 1000000, func(s *State) *int { return &s.MinToolCalls })},
		{"on-promise-no-work", "WHAT", "`WHAT` to do when they are missing: reject, warn or accept (default reject)",
			oneOf(func(s *State) *NoWork { return &s.NoWork }, rejectNoWork, warnNoWork, acceptNoWork)},
		{"max-duration", "D", "end after the time `D`, such as 90m, 2h or 1d12h (default none)", orNone(duration(func(s *State) *Duration { return &s.MaxDuration }), func(s *State) { s.MaxDuration = 0 })},
		{"verify", "CMD", "a promise counts only if `CMD` exits with 0 in the workspace (default none)", checked(func(s *State) *string { return &s.Verify }, checkCommand)},
		{"tasks", "FILE", "a promise counts only if no task of `FILE` is open: Markdown checkboxes, or JSON objects with passes (default none)", checked(func(s *State) *string { return &s.Tasks }, checkPath)},
		{"review", "AGENT", "a promise counts only if `AGENT` or AGENT:MODEL finds nothing wrong with the work (default none)", checked(func(s *State) *string { return &s.Review }, checkReviewer)},
		{"gate-timeout", "D", "give up the command of --verify, and the review, after the time `D` each (default 10m)", duration(func(s *State) *Duration { return &s.GateTimeout })},
		{"checkpoints", "", "keep the work tree of each iteration as a commit beside your branches, for diff and restore",
			onOff(func(r *Request) *bool { return &r.State.Checkpoints })},
		{"max-tokens", "COUNT", "end after `COUNT` tokens, such as 500000, 500k or 2m, where they are known (default none)", orNone(setMaxTokens, func(s *State) { s.MaxTokens = 0 })},
		{"fresh-chat", "N", "go on in a new chat after every `N` iterations, 0 for never (default 0)",
			number(0, MaxMaxIterations, func(s *State) *int { return &s.FreshChat })},
		{"on-end", "CMD", "run `CMD` when the loop has ended, with its record as JSON on standard input (default none)", checked(func(s *State) *string { return &s.OnEnd }, checkCommand)},
		{"plan", "", "the agent plans and describes, and changes nothing",
			onOff(func(r *Request) *bool { return &r.State.Plan })},
		{"struggle-pause", "N", "pause after `N` iterations without a change, 0 for never (default 0)",
			number(0, MaxMaxIterations, func(s *State) *int { return &s.StrugglePause })},
		{"replace", "", "take the place of the loop that runs in this conversation",
			onOff(func(r *Request) *bool { return &r.Replace })},
	}
}

// SlashOptions lists those that the slash command alone has.
func SlashOptions() []Option {
	return []Option{{"file", "FILE", "read the task from `FILE`", func(r *Request, v string) error {
		r.File = v
		return checkPath(v)
	}}, {"continue", "ID", "go on with the loop `ID`", func(r *Request, v string) error {
		r.Continue = v
		return CheckID(v)
	}}}
}

// FindOption returns the option of a name, or the switch that turns it off.
func FindOption(options []Option, name string) (Option, bool) {
	for _, o := range options {
		if o.Name == name {
			return o, true
		}
	}
	if of, ok := strings.CutPrefix(name, "no-"); ok && !strings.HasPrefix(of, "no-") {
		if o, ok := FindOption(options, of); ok {
			return o.Without()
		}
	}
	return Option{}, false
}

// isSigned reports whether a value begins with a plus, as if it were to be added: each is a whole new value.
func isSigned(v string) bool { return strings.HasPrefix(v, "+") }

func number(low, high int, field func(*State) *int) func(*Request, string) error {
	return func(r *Request, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < low || n > high || isSigned(v) {
			return fmt.Errorf("%q is not a whole number from %d to %d", v, low, high)
		}
		*field(&r.State) = n
		return nil
	}
}

func onOff(field func(*Request) *bool) func(*Request, string) error {
	return func(r *Request, v string) error {
		switch v {
		case "", "true":
			*field(r) = true
		case "false":
			*field(r) = false
		default:
			return fmt.Errorf("%q is neither true nor false", v)
		}
		return nil
	}
}

func oneOf[T ~string](field func(*State) *T, allowed ...T) func(*Request, string) error {
	return func(r *Request, v string) error {
		names := make([]string, len(allowed))
		for i, a := range allowed {
			if v == string(a) {
				*field(&r.State) = a
				return nil
			}
			names[i] = string(a)
		}
		return fmt.Errorf("%q is not one of %s", v, strings.Join(names, ", "))
	}
}

// orNone returns set for an option that an empty value turns off.
func orNone(set func(*Request, string) error, none func(*State)) func(*Request, string) error {
	return func(r *Request, v string) error {
		if v == "" {
			none(&r.State)
			return nil
		}
		return set(r, v)
	}
}

func checked(field func(*State) *string, check func(string) error) func(*Request, string) error {
	return orNone(func(r *Request, v string) error {
		*field(&r.State) = v
		return check(v)
	}, func(s *State) { *field(s) = "" })
}

// maxPromise is the longest completion promise, in bytes.
const maxPromise = 200

func setPromise(r *Request, v string) error {
	switch {
	case v == "" || v != strings.TrimSpace(v):
		return fmt.Errorf("%q is empty or has spaces at its ends", v)
	case len(v) > maxPromise:
		return fmt.Errorf("it is longer than %d bytes", maxPromise)
	case strings.ContainsFunc(v, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return fmt.Errorf("%q has control characters", v)
	case strings.Contains(v, openTag) || strings.Contains(v, closeTag):
		return fmt.Errorf("%q has the tag in it: give the text inside it alone", v)
	}
	r.State.CompletionPromise = v
	return nil
}

// maxCommand is the longest command of an option, in bytes.
const maxCommand = 4096

func checkCommand(v string) error {
	switch {
	case strings.TrimSpace(v) == "":
		return errors.New("the command is empty")
	case len(v) > maxCommand:
		return fmt.Errorf("it is longer than %d bytes: put it into a script", maxCommand)
	case strings.ContainsRune(v, 0):
		return errors.New("it has a zero byte in it")
	}
	return nil
}

// checkReviewer takes AGENT or AGENT:MODEL. Which agents there are is not known here.
func checkReviewer(v string) error {
	agent, _, _ := strings.Cut(v, ":")
	if agent == "" || len(v) > maxPromise || strings.ContainsFunc(v, func(c rune) bool { return c <= ' ' || c == 0x7f }) {
		return fmt.Errorf("%q is not an agent, or an agent and its model as in codex:gpt-5", v)
	}
	return nil
}

// setMaxTokens takes a number, in thousands with a k and in millions with an m.
func setMaxTokens(r *Request, v string) error {
	unit, number := int64(1), strings.ToLower(v)
	switch {
	case strings.HasSuffix(number, "k"):
		unit, number = 1000, strings.TrimSuffix(number, "k")
	case strings.HasSuffix(number, "m"):
		unit, number = 1000000, strings.TrimSuffix(number, "m")
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 || n > maxMaxTokens/unit || isSigned(v) {
		return fmt.Errorf("%q is not a number of tokens such as 500000, 500k or 2m", v)
	}
	r.State.MaxTokens = n * unit
	return nil
}

// maxMaxTokens is the highest limit for tokens.
const maxMaxTokens = 1_000_000_000_000

// maxPath is the longest name of a file that a loop keeps, in bytes.
const maxPath = 4096

func checkPath(v string) error {
	switch {
	case strings.TrimSpace(v) == "":
		return errors.New("the name of the file is empty")
	case len(v) > maxPath:
		return fmt.Errorf("the name of the file is longer than %d bytes", maxPath)
	case strings.ContainsFunc(v, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return fmt.Errorf("%q has control characters", v)
	}
	return nil
}

func duration(field func(*State) *Duration) func(*Request, string) error {
	return func(r *Request, v string) error {
		d, err := ParseDuration(v)
		if err != nil || d <= 0 || isSigned(v) {
			return fmt.Errorf("%q is not a duration such as 90m, 2h or 1d12h", v)
		}
		*field(&r.State) = Duration(d)
		return nil
	}
}
