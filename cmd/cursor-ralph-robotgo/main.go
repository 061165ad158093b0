// Cursor-ralph-robotgo presses the keys of its arguments by robotgo, and ends.
// It is a separate program because robotgo is written in C: a crash or hang in there
// affects nothing else.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

const usage = `usage: cursor-ralph-robotgo version
       cursor-ralph-robotgo [wait] { press CHORD | up MODIFIER | down MODIFIER } ...

Presses keys in the given order. A chord is a key with modifiers before it:
shift+insert, return, cmd+v. The window that has the focus gets it. With wait it
writes a line when all is ready, and presses when it has read a line.
Example: cursor-ralph-robotgo up lctrl press shift+insert down lctrl
`

// The exit codes beside 0, and 1 for an error while pressing. With these
// nothing was pressed.
const (
	exitUsage = 2
	exitUnfit = 3
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fail := func(code int, words string) int {
		fmt.Fprintln(stderr, "cursor-ralph-robotgo:", words)
		return code
	}
	wait := len(args) > 0 && args[0] == "wait"
	if wait {
		args = args[1:]
	}
	actions, err := parse(args)
	switch {
	case err != nil:
		fmt.Fprint(stderr, usage)
		return fail(exitUsage, err.Error())
	case !built:
		return fail(exitUnfit, "this build has no robotgo in it: it needs cgo, and on Linux the headers of libX11 and libXtst")
	case actions == nil:
		fmt.Fprintln(stdout, versions())
		return 0
	}
	if err := ready(); err != nil {
		return fail(exitUnfit, err.Error())
	}
	if wait {
		fmt.Fprintln(stdout, "ready")
		if _, err := bufio.NewReader(stdin).ReadString('\n'); err != nil {
			return fail(exitUnfit, "nobody said go")
		}
	}
	if err := perform(actions); err != nil {
		return fail(1, err.Error())
	}
	return 0
}

// release is the version, set by the build.
var release string

func versions() string {
	v := "cursor-ralph-robotgo"
	if release != "" {
		v += " " + release
	}
	return v + " with robotgo " + robotgoVersion()
}

// perform does all actions, also those after one that failed: they let go of
// what was held.
func perform(actions []action) error {
	var errs []error
	for _, a := range actions {
		if err := a.perform(); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", a.do, a.name, err))
		}
	}
	return errors.Join(errs...)
}

// action is one thing to do with a key.
type action struct {
	do        string // press, up or down
	name      string // in the arguments
	key       string // as robotgo calls it
	modifiers []string
}

// modifierNames are what robotgo knows. Source: key.go of robotgo v1.0.2. It
// knows "control" as a key and not as a modifier, so that is not here.
var modifierNames = []string{
	"ctrl", "shift", "alt", "cmd",
	"lctrl", "lshift", "lalt", "lcmd",
	"rctrl", "rshift", "ralt", "rcmd",
}

// parse reads the whole command line before anything is pressed. No actions
// means that the version is asked for.
func parse(args []string) ([]action, error) {
	if len(args) == 1 && args[0] == "version" {
		return nil, nil
	}
	if len(args) == 0 || len(args)%2 != 0 {
		return nil, errors.New("what to press?")
	}
	var actions []action
	for pair := range slices.Chunk(args, 2) {
		a := action{do: pair[0], name: pair[1]}
		var err error
		switch a.do {
		case "press":
			a.modifiers, a.key, err = parseChord(a.name)
		case "up", "down":
			a.key, err = a.name, checkModifier(a.name)
		default:
			err = fmt.Errorf("%q is not press, up or down", a.do)
		}
		if err != nil {
			return nil, err
		}
		actions = append(actions, a)
	}
	return actions, nil
}

func checkModifier(name string) error {
	if !slices.Contains(modifierNames, name) {
		return fmt.Errorf("%q is no modifier; there are %s", name, strings.Join(modifierNames, ", "))
	}
	return nil
}

// parseChord returns robotgo's names of the key and its modifiers. Robotgo would
// press key 0 for an unknown name.
func parseChord(chord string) (modifiers []string, key string, err error) {
	parts := strings.Split(chord, "+")
	modifiers, key = parts[:len(parts)-1], parts[len(parts)-1]
	for _, m := range modifiers {
		if err := checkModifier(m); err != nil {
			return nil, "", err
		}
	}
	letter := len(key) == 1 && (key[0] >= 'a' && key[0] <= 'z' || key[0] >= '0' && key[0] <= '9')
	switch {
	case key == "return":
		return modifiers, "enter", nil
	case key == "insert", letter, slices.Contains(functionKeys(), key):
		return modifiers, key, nil
	}
	return nil, "", fmt.Errorf("%q is no key for this; there are insert, return, a to z, 0 to 9 and f1 to f12", key)
}

func functionKeys() []string {
	var keys []string
	for n := range 12 {
		keys = append(keys, fmt.Sprintf("f%d", n+1))
	}
	return keys
}
