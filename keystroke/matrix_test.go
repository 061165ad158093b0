package keystroke

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/testdesk"
)

// buildRobotgo builds the program that robotgo is in.
func buildRobotgo(t *testing.T) string {
	t.Helper()
	needs(t, "go", "gcc")
	path := filepath.Join(t.TempDir(), "cursor-ralph-robotgo")
	out, err := exec.CommandContext(patient(t), "go", "build", "-o", path, "../cmd/cursor-ralph-robotgo").CombinedOutput()
	if strings.Contains(string(out), "No such file or directory") {
		t.Skip("needs the headers of libX11 and libXtst")
	}
	if err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	return path
}

// x11Ways are the ways of typing on X11: built-in XTEST has two of its own.
func x11Ways(m Machine) []Injector {
	return []Injector{newXTEST(m), fakedXTEST{newXTEST(m), m}, newRobotgo(m), newXdotool(m)}
}

// fakedXTEST never tries to send a key as an event.
type fakedXTEST struct {
	Injector
	m Machine
}

func (i fakedXTEST) Type(ctx context.Context, t Target) error {
	x, err := openX11(ctx, i.m)
	if err != nil {
		return err
	}
	defer x.close()
	return deliver(ctx, t, x, fakedKeys{x})
}

type fakedKeys struct{ x *x11 }

func (k fakedKeys) press(ctx context.Context, w window, c Chord) error {
	return k.x.step(ctx, w, c, faked)
}

// noIdle leaves out the extension by which keys that were pressed count as the
// user's: each try would wait a second until he rests.
func noIdle() []string { return []string{"-extension", "MIT-SCREEN-SAVER"} }

// condition is something about a keyboard that makes typing wrong.
type condition struct {
	name string
	many int // tries in the lab
	set  func(ctx context.Context, x *testdesk.X) error
	hold uint16 // a modifier that is held
}

func conditions() []condition {
	layout := func(name string) func(context.Context, *testdesk.X) error {
		return func(ctx context.Context, x *testdesk.X) error { return x.Layout(ctx, name) }
	}
	return []condition{
		{name: "us", many: 50, set: layout("us")},
		{name: "de", many: 50, set: layout("de")},
		{name: "fr", many: 50, set: layout("fr")},
		{name: "dvorak", many: 50, set: layout("us/dvorak")},
		{name: "ru", many: 50, set: layout("ru")},
		{name: "us,ru in the second group", many: 50, set: func(ctx context.Context, x *testdesk.X) error {
			if err := x.Layout(ctx, "us,ru"); err != nil {
				return err
			}
			return x.Group(ctx, 1)
		}},
		{name: "Caps Lock on", many: 20, set: func(ctx context.Context, x *testdesk.X) error {
			if err := x.Layout(ctx, "us"); err != nil {
				return err
			}
			return x.CapsLock(ctx, true)
		}},
		{name: "Shift held", many: 20, set: layout("us"), hold: testdesk.Shift},
		{name: "Ctrl held", many: 20, set: layout("us"), hold: testdesk.Ctrl},
		{name: "Alt held", many: 20, set: layout("us"), hold: testdesk.Alt},
	}
}

// Each way delivers the exact line and one Return whatever the keyboard is
// like, and leaves keyboard and clipboard as they were.
func TestX11Matrix(t *testing.T) {
	r := furnish(t, startX11(t, noIdle()...))
	r.m.Robotgo = buildRobotgo(t)
	for _, c := range conditions() {
		r.cells(t, c)
	}
}

func TestX11MatrixWithInputMethod(t *testing.T) {
	needs(t, "dbus-daemon", "ibus-daemon", "ibus")
	x := startX11(t, noIdle()...)
	im, err := x.StartInputMethod(patient(t))
	must(t, err)
	t.Cleanup(func() { must(t, im.Close()) })
	r := furnish(t, x)
	r.m.Robotgo = buildRobotgo(t)
	r.fresh()
	r.xdotool("type", "--delay", "50", "gks")
	if s, err := r.page.State(patient(t)); s.Draft != "한" || err != nil {
		t.Fatalf("the input method is not active: gks became %q, %v", s.Draft, err)
	}
	r.xdotool("key", "Return") // ends the syllable
	r.cells(t, condition{name: "input method on (Hangul)", many: 20,
		set: func(context.Context, *testdesk.X) error { return nil }})
}

func (r *x11Room) xdotool(args ...string) {
	r.t.Helper()
	cmd := exec.CommandContext(patient(r.t), "xdotool", args...)
	cmd.Env = r.x.Env()
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("xdotool: %v: %s", err, out)
	}
}

// cells tries every way under one condition.
func (r *x11Room) cells(t *testing.T, c condition) {
	t.Run(c.name, func(t *testing.T) {
		row := "| " + c.name
		must(t, c.set(patient(t), r.x), r.x.Copy(patient(t), "what was copied before"), r.x.Select(patient(t), "primary", "what was selected before"))
		for _, injector := range x11Ways(r.m) {
			n := tries(5, c.many)
			good, took := 0, []time.Duration{}
			for range n {
				d, problem := r.try(t, c, injector)
				if problem != "" {
					t.Errorf("%s: %s", injector.Name(), problem)
					continue
				}
				good, took = good+1, append(took, d)
			}
			row += fmt.Sprintf(" | %d/%d%s", good, n, median(took))
		}
		must(t, r.x.CapsLock(patient(t), false))
		t.Logf("lab: %s |", row)
	})
}

func median(took []time.Duration) string {
	if len(took) == 0 {
		return ""
	}
	slices.Sort(took)
	return fmt.Sprintf(", %d ms", took[len(took)/2].Milliseconds())
}

// keyboardState is what has to be afterwards as before.
type keyboardState struct {
	State uint16 // modifiers and Caps Lock
	Group int
	Down  []byte
	Text  string // on the clipboard
	Mark  string // what is selected
}

func (r *x11Room) keyboard(t *testing.T) (s keyboardState) {
	t.Helper()
	var errs [5]error
	s.State, errs[0] = r.x.Held()
	s.Group, errs[1] = r.x.CurrentGroup()
	s.Down, errs[2] = r.x.Down()
	s.Text, errs[3] = r.x.Clipboard(patient(t))
	s.Mark, errs[4] = r.x.Selection(patient(t), "primary")
	must(t, errs[:]...)
	return s
}

// try types once, and gives how long it took until the message was in the page.
func (r *x11Room) try(t *testing.T, c condition, i Injector) (took time.Duration, problem string) {
	t.Helper()
	ctx := patient(t)
	r.t = t
	r.fresh()
	if c.hold != 0 {
		must(t, r.x.Hold(c.hold))
		defer func() { must(t, r.x.LetGo(c.hold)) }()
	}
	before := r.keyboard(t)
	s := &steps{}
	target := r.target(s)
	stop := clock(ctx, r.page, &target)
	err := tryOne(ctx, i, target)
	took = stop()
	if err != nil {
		return 0, fmt.Sprintf("%v; it said:\n%s", err, s)
	}
	if after := r.keyboard(t); !reflect.DeepEqual(after, before) {
		return 0, fmt.Sprintf("afterwards %+v, before %+v", after, before)
	}
	must(t, r.other.Sync(ctx))
	state, err := r.page.State(ctx)
	must(t, err)
	if got := r.page.Messages(); !reflect.DeepEqual(got, []string{testLine}) || state.Draft != "" || len(r.other.Keys()) > 0 {
		return 0, fmt.Sprintf("messages %q, draft %q, keys in the other window %+v", got, state.Draft, r.other.Keys())
	}
	return took, ""
}
