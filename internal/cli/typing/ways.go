// Package typing chooses how the continue line is typed here, by the user's settings. How keys are pressed is package keystroke.
package typing

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Flags defines the one flag of typing.
func Flags(f *pflag.FlagSet) {
	f.String("type", "", "type the continue line into Cursor, by the way `NAME` alone if one is given: --type=xdotool")
	f.Lookup("type").NoOptDefVal = anyWay
}

// anyWay is the value of --type without a name.
const anyWay = "any"

// Ways returns the chosen injectors, and a target without a line. If the settings cannot be read,
// nothing is typed: the key that submits is one of them.
func Ways(e *cli.Env) ([]keystroke.Injector, keystroke.Target, error) {
	c, err := e.Config()
	if err != nil {
		return nil, keystroke.Target{}, err
	}
	var names []string // none: those of the desktop
	if chosen := e.Text("type"); chosen != "" && chosen != anyWay {
		names = strings.Split(chosen, ",")
	}
	injectors, err := keystroke.Injectors(Machine(e), names)
	if err != nil {
		return nil, keystroke.Target{}, hint.Misuse(err.Error(), "`cursor-ralph doctor` shows the ways of typing that work here")
	}
	submit, err := keystroke.ParseSubmitKey(c.Get("typing.submit-key").Text, runtime.GOOS)
	if err != nil {
		return nil, keystroke.Target{}, err
	}
	return injectors, keystroke.Target{Editors: keystroke.Editors(e.Getenv), Submit: submit}, nil
}

// Machine returns this machine as keystroke needs it.
func Machine(e *cli.Env) keystroke.Machine {
	m := keystroke.Machine{Desktop: platform.FindDesktop(runtime.GOOS, e.Getenv), OS: runtime.GOOS, Env: os.Environ()}
	self, err := os.Executable()
	if err != nil {
		return m
	}
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
