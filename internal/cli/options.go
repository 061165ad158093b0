package cli

import (
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/notice"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// ConfigFile returns the path of the settings file.
func (e *Env) ConfigFile() string { return platform.ConfigFile(runtime.GOOS, e.Getenv) }

// Config returns the user's settings. Steering a loop works with a bad file; a command
// that depends on settings fails.
func (e *Env) Config() (config.Config, error) {
	return config.Load(config.Source{Path: e.ConfigFile(), Checks: map[string]func(string) error{
		"notify.channels": notice.Check,
		"typing.submit-key": func(text string) error {
			_, err := keystroke.ParseSubmitKey(text, runtime.GOOS)
			return err
		},
	}})
}

// MaxTask is how much text a slash command takes, in bytes.
const MaxTask = 16 << 20

// AddOption adds the flag of a loop option.
func AddOption(f *pflag.FlagSet, o loop.Option, usage string) {
	if o.Arg == "" {
		f.Bool(o.Name, false, usage)
		return
	}
	f.String(o.Name, "", usage) // package loop checks it
}

// AddWithout adds --no-NAME for each option that the user's settings may turn on. They are
// not listed: help says it in one sentence.
func AddWithout(f *pflag.FlagSet) {
	for _, o := range loop.Options() {
		if _, ok := o.Without(); ok && f.Lookup(o.Name) != nil {
			f.Bool("no-"+o.Name, false, "without --"+o.Name)
			f.Lookup("no-" + o.Name).Hidden = true
		}
	}
}

// Duration adds a flag for a duration of at most most, 0 for any. It may be in days.
func Duration(f *pflag.FlagSet, name string, value, most time.Duration, usage string) {
	f.Var(&span{value, most}, name, usage)
	if value == 0 {
		f.Lookup(name).DefValue = ""
	}
}

// span is a duration as pflag.FlagSet.GetDuration reads it.
type span struct{ value, most time.Duration }

func (s *span) Set(v string) error {
	d, err := loop.ParseDuration(v)
	switch {
	case err != nil || d < 0:
		return fmt.Errorf("%q is not a duration such as 30s, 2h or 1d12h", v)
	case s.most > 0 && d > s.most:
		return fmt.Errorf("%s is more than %s", v, text.Exactly(s.most))
	}
	s.value = d
	return nil
}

func (s *span) Type() string { return "duration" }

func (s *span) String() string { return text.Exactly(s.value) }

// Request reads the options of a new loop: those of the flags, and the user's
// defaults for the others.
func (e *Env) Request() (loop.Request, error) {
	r, err := e.Asked()
	if err != nil {
		return r, err
	}
	c, err := e.Config()
	if err != nil {
		return r, err
	}
	filled, err := r.Fill(c.Loop())
	if err != nil {
		return r, hint.Misuse(err.Error(), "nothing was started; `cursor-ralph config` shows your settings")
	}
	return filled, nil
}

// Sourced says in an error about some options that the user's settings set one of them.
func Sourced(r loop.Request, err error, options ...string) error {
	origin := r.Origin(options...)
	if err == nil || origin == "" {
		return err
	}
	return &hint.Error{Err: fmt.Errorf("%w%s", err, origin), Hint: hint.Of(err), Misuse: hint.Code(err) == 2}
}

// Asked reads the options of a loop from the flags alone.
func (e *Env) Asked() (loop.Request, error) {
	r := loop.NewRequest()
	for _, o := range loop.Options() {
		f := e.Flags.Lookup(o.Name)
		if f == nil {
			continue
		}
		no, without := o.Without()
		without = without && e.IsSet("no-"+o.Name)
		var err error
		switch {
		case f.Changed && without:
			err = fmt.Errorf("--%s and --no-%s: give one of them", o.Name, o.Name)
		case f.Changed:
			err = o.Set(&r, f.Value.String())
		case without:
			err = no.Set(&r, "")
		}
		if err != nil {
			return r, hint.Misuse(err.Error(), "`cursor-ralph help "+e.Flags.Name()+"` shows the options")
		}
	}
	return r, nil
}
