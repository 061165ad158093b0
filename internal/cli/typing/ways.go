// Package typing chooses how the continue line is typed here: from flags,
// hooks.json and settings. How keys are pressed is package keystroke.
package typing

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Flags defines the settings of typing; the hook takes them from hooks.json.
func Flags(f *pflag.FlagSet) {
	MethodFlag(f)
	new(handoff.Typing).Flags(f)
}

// MethodFlag defines the flag that hooks.json does not have.
func MethodFlag(f *pflag.FlagSet) { f.String("method", "", "this way of typing alone: `NAME`") }

// Ways returns the chosen injectors, and a target without a line. A guard watches what
// is typed for a loop; it gets the ids of the loop and the injection.
func Ways(e *cli.Env, guarded ...string) ([]keystroke.Injector, keystroke.Target, error) {
	settings, err := typingSettings(e)
	if err != nil {
		return nil, keystroke.Target{}, err
	}
	if settings.Injectors == "none" {
		return nil, keystroke.Target{}, ErrOff
	}
	var names []string // none: those of the desktop
	if settings.Injectors != "" {
		names = strings.Split(settings.Injectors, ",")
	}
	injectors, err := keystroke.Injectors(Machine(e, guarded), names)
	if err != nil {
		return nil, keystroke.Target{}, hint.Misuse(err.Error(), "`cursor-ralph doctor` shows the ways of typing that work here")
	}
	keys, err := keystroke.ParseChord(settings.FocusKeys)
	if err != nil {
		return nil, keystroke.Target{}, hint.Misuse("--focus-keys: "+err.Error(), "give keys such as ctrl+i")
	}
	submit, err := cli.SubmitKey(settings.SubmitKey)
	if err != nil {
		return nil, keystroke.Target{}, err
	}
	return injectors, keystroke.Target{
		Editors: keystroke.Editors(e.Configured), FocusKeys: keys, Submit: submit, Unchecked: settings.Unchecked,
	}, nil
}

// typingSettings returns the settings of the command line. Called by a user without
// flags, it starts from the hook's settings, except that a project's file, which may
// come from someone else, cannot consent to unchecked typing. The settings file fills
// the rest; if it cannot be read, nothing is typed, since it may forbid typing.
func typingSettings(e *cli.Env) (commands.Typing, error) {
	var s commands.Typing
	var call handoff.Inject
	e.Read(&call)
	fromHook := call.Injection != "" && !call.Installed || call.Any // the hook passes all its settings
	if !fromHook {
		user, _ := install.CursorFolder(e, "") // empty without a home
		for _, path := range install.HookFiles(e) {
			if here := install.InstalledAt(path); here.Any() {
				unchecked := s.Unchecked
				s = here.Typing
				s.Unchecked = unchecked || s.Unchecked && filepath.Dir(path) == user
			}
		}
	}
	for _, f := range []struct {
		name string
		to   *string
	}{{"injectors", &s.Injectors}, {"method", &s.Injectors}, {"focus-keys", &s.FocusKeys}, {"submit-key", &s.SubmitKey}} {
		if e.Flags.Changed(f.name) {
			*f.to = e.Text(f.name)
		}
	}
	c, err := e.Config()
	s.Injectors = cmp.Or(s.Injectors, c.Get("typing.injectors").Text)
	s.FocusKeys = cmp.Or(s.FocusKeys, c.Get("typing.focus-keys").Text)
	s.SubmitKey = cmp.Or(s.SubmitKey, c.Get("typing.submit-key").Text)
	s.Unchecked = s.Unchecked || c.Get("typing.type-unchecked").Text == "true"
	if e.Flags.Changed("type-unchecked") {
		s.Unchecked = e.IsSet("type-unchecked")
	}
	return s, err
}

// Machine returns this machine as keystroke needs it. The guarded arguments go to
// its guard, which reports the injection if the typing process dies.
func Machine(e *cli.Env, guarded []string) keystroke.Machine {
	m := keystroke.Machine{Desktop: platform.FindDesktop(runtime.GOOS, e.Configured), OS: runtime.GOOS, Env: os.Environ()}
	self, err := os.Executable()
	if err != nil {
		return m
	}
	m.Guard = slices.Concat([]string{self, "guard", "--"}, guarded)
	name := strings.Replace(filepath.Base(self), "cursor-ralph", "cursor-ralph-robotgo", 1)
	if helper := filepath.Join(filepath.Dir(self), name); cli.IsFile(helper) {
		m.Robotgo = helper
	}
	return m
}

// WouldWork returns a line that says whether a way of typing would work.
func WouldWork(name string, err error) string {
	if err != nil {
		return name + ": would not work: " + err.Error()
	}
	return name + ": would work"
}

// ErrOff is the error of an installation that types nothing.
var ErrOff = hint.New("typing is turned off (--injectors none)", "`cursor-ralph install --injectors ''` turns it on; --method NAME types once")
