package x11_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/x11"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

var robotgo string

// buildRobotgo builds the program that robotgo is in, once.
func buildRobotgo(t *testing.T) string {
	t.Helper()
	if robotgo == "" {
		robotgo = testdesk.BuildRobotgo(x11.Lasting.TB(t))
	}
	return robotgo
}

// way returns one way of typing.
func way(t testing.TB, m keystroke.Machine, name string) keystroke.Injector {
	t.Helper()
	list, err := keystroke.Injectors(m, []string{name})
	testdesk.Must(t, err)
	return list[0]
}

// ways are the ways of typing on X11: built-in XTEST has two of its own.
func ways(t *testing.T, m keystroke.Machine) []keystroke.Injector {
	t.Helper()
	return []keystroke.Injector{way(t, m, "xtest"), faked{m, true}, way(t, m, "robotgo"), way(t, m, "xdotool")}
}

// faked is XTEST for an editor that ignores events that are sent to it. It follows
// a delivery without its waits, for what it tests are the keys.
type faked struct {
	m     keystroke.Machine
	known bool
}

func (faked) Name() string                                  { return "xtest, faked" }
func (faked) Probe(context.Context, keystroke.Target) error { return nil }

func (f faked) Type(ctx context.Context, t keystroke.Target) (err error) {
	permit := t.Permit
	if permit == nil {
		permit = func(context.Context) error { return nil }
	}
	submit := cmp.Or(t.Submit, key.Return)
	s, err := x11.OpenFaked(ctx, desk.Machine(f.m), desk.Request{Editors: t.Editors, Submit: submit, Permit: permit}, f.known)
	if err != nil {
		return err
	}
	defer s.Close()
	windows, err := s.Windows(ctx, t.Editors)
	if err != nil || len(windows) != 1 {
		return fmt.Errorf("%d windows, %w", len(windows), err)
	}
	w := windows[0]
	clip, err := s.Put(ctx, w, t.Line)
	if err != nil {
		return err
	}
	defer func() {
		_, lost := clip.Restore(ctx)
		err = errors.Join(err, lost)
	}()
	if err := errors.Join(permit(ctx), permit(ctx)); err != nil { // as a delivery asks
		return err
	}
	if err := s.Press(ctx, w, key.Paste); err != nil {
		return err
	}
	if err := errors.Join(clip.Fetched(ctx), permit(ctx)); err != nil {
		return &keystroke.SentError{Err: err}
	}
	if err := s.Press(ctx, w, submit); err != nil {
		return &keystroke.SentError{Err: err}
	}
	if t.Arrived == nil {
		return nil
	}
	return t.Arrived(ctx)
}

// condition is something about a keyboard that makes typing wrong.
type condition struct {
	name   string
	many   int    // tries in the lab
	layout string // empty for the one that is set
	group  int
	caps   bool
	hold   uint16 // a modifier that is held
}

func conditions() []condition {
	return []condition{
		{name: "us", many: 50, layout: "us"},
		{name: "de", many: 50, layout: "de"},
		{name: "fr", many: 50, layout: "fr"},
		{name: "dvorak", many: 50, layout: "us/dvorak"},
		{name: "ru", many: 50, layout: "ru"},
		{name: "us,ru in the second group", many: 50, layout: "us,ru", group: 1},
		{name: "Caps Lock on", many: 20, layout: "us", caps: true},
		{name: "Shift held", many: 20, layout: "us", hold: testdesk.Shift},
		{name: "Ctrl held", many: 20, layout: "us", hold: testdesk.Ctrl},
		{name: "Alt held", many: 20, layout: "us", hold: testdesk.Alt},
	}
}

// set makes a condition true, but for the modifier that is held.
func (c condition) set(ctx context.Context, x *testdesk.X) error {
	if c.layout == "" {
		return nil
	}
	return errors.Join(x.Layout(ctx, c.layout), x.Group(ctx, c.group), x.CapsLock(ctx, c.caps))
}

// Each way delivers the exact line and one Return whatever the keyboard is
// like, and leaves keyboard and clipboard as they were.
func TestX11Matrix(t *testing.T) {
	r := withPrograms(t)
	for _, c := range short.First(conditions(), 1) {
		r.cells(t, c, tries(5, c.many))
	}
}

func TestX11MatrixWithInputMethod(t *testing.T) {
	short.Skip(t)
	testdesk.Needs(t, "dbus-daemon", "ibus-daemon", "ibus")
	x := testdesk.NewX(t, "-extension", "MIT-SCREEN-SAVER")
	im, err := x.StartInputMethod(testdesk.Patient(t))
	testdesk.Must(t, err)
	t.Cleanup(func() { testdesk.Must(t, im.Close()) })
	r := furnish(t, x)
	r.m.Robotgo = buildRobotgo(t)
	r.fresh()
	r.xdotool("type", "--delay", "50", "gks")
	if s, err := r.page.State(testdesk.Patient(t)); s.Draft != "한" || err != nil {
		t.Fatalf("the input method is not active: gks became %q, %v", s.Draft, err)
	}
	r.xdotool("key", "Return") // ends the syllable
	r.cells(t, condition{name: "input method on (Hangul)"}, tries(5, 20))
}

func (r *room) xdotool(args ...string) {
	r.t.Helper()
	cmd := exec.CommandContext(testdesk.Patient(r.t), "xdotool", args...)
	cmd.Env = r.x.Env()
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("xdotool: %v: %s", err, out)
	}
}

// cells tries every way n times under one condition.
func (r *room) cells(t *testing.T, c condition, n int) {
	t.Run(c.name, func(t *testing.T) {
		row := "| " + c.name
		testdesk.Must(t, c.set(testdesk.Patient(t), r.x), r.x.Copy(testdesk.Patient(t), "what was copied before"), r.x.Select(testdesk.Patient(t), "primary", "what was selected before"))
		for _, injector := range ways(t, r.m) {
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
		testdesk.Must(t, r.x.CapsLock(testdesk.Patient(t), false))
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

func (r *room) keyboard(t *testing.T) (s keyboardState) {
	t.Helper()
	var errs [5]error
	s.State, errs[0] = r.x.Held()
	s.Group, errs[1] = r.x.CurrentGroup()
	s.Down, errs[2] = r.x.Down()
	s.Text, errs[3] = r.x.Clipboard(testdesk.Patient(t))
	s.Mark, errs[4] = r.x.Selection(testdesk.Patient(t), "primary")
	testdesk.Must(t, errs[:]...)
	return s
}

// try types once, and returns how long it took until the message was in the page.
func (r *room) try(t *testing.T, c condition, i keystroke.Injector) (took time.Duration, problem string) {
	t.Helper()
	ctx := testdesk.Patient(t)
	r.t = t
	r.fresh()
	if c.hold != 0 {
		testdesk.Must(t, r.x.Hold(c.hold))
		defer func() { testdesk.Must(t, r.x.LetGo(c.hold)) }()
	}
	before := r.keyboard(t)
	s := &steps{}
	target := r.target(s)
	var stop func() time.Duration
	target.Arrived, stop = r.page.Clock(ctx)
	err := i.Type(ctx, target)
	took = stop()
	if err != nil {
		return 0, fmt.Sprintf("%v; it said:\n%s", err, s)
	}
	if after := r.keyboard(t); !reflect.DeepEqual(after, before) {
		return 0, fmt.Sprintf("afterwards %+v, before %+v", after, before)
	}
	testdesk.Must(t, r.other.Sync(ctx))
	state, err := r.page.State(ctx)
	testdesk.Must(t, err)
	if got := r.page.Messages(); !reflect.DeepEqual(got, []string{testLine}) || state.Draft != "" || len(r.other.Keys()) > 0 {
		return 0, fmt.Sprintf("messages %q, draft %q, keys in the other window %+v", got, state.Draft, r.other.Keys())
	}
	return took, ""
}
