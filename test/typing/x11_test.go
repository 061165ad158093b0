//go:build linux

package typing_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

const testLine = "/ralph-loop --continue 6f1d2c3b-0a4e-4b5f-9c8d-7e6a5b4c3d2e"

// lasting has what the tests share: desktops take seconds to start.
var lasting testdesk.Lasting

func TestMain(m *testing.M) { os.Exit(lasting.Main(m)) }

// room is an X11 desktop with the editor's window and another program's.
type room struct {
	t      testing.TB
	x      *testdesk.X
	page   *testdesk.Page
	editor *testdesk.Editor
	other  *testdesk.Other
	m      keystroke.Machine
}

var shared *room

// sharedRoom returns the one room that most tests use, on a us keyboard.
func sharedRoom(t *testing.T) *room {
	t.Helper()
	short.Skip(t)
	if shared == nil {
		l := lasting.TB(t)
		page, err := testdesk.NewPage()
		testdesk.Must(t, err)
		l.Cleanup(func() { testdesk.Must(l, page.Close()) })
		shared = furnish(l, testdesk.NewX(l), page)
	}
	r := *shared
	r.t = t
	testdesk.Must(t, r.x.Layout(testdesk.Patient(t), "us"), r.x.CapsLock(testdesk.Patient(t), false))
	return &r
}

var helper string

// furnish opens the windows on a display.
func furnish(t testing.TB, x *testdesk.X, page *testdesk.Page) *room {
	t.Helper()
	testdesk.Needs(t, "chromium", "xdotool", "xclip")
	ctx := testdesk.Patient(t)
	r := &room{t: t, x: x, page: page}
	var err error
	r.editor, err = x.StartEditor(ctx, page, testdesk.Options{Title: "main.go - repo - Cursor"})
	testdesk.Must(t, err)
	t.Cleanup(func() { testdesk.Must(t, r.editor.Close()) })
	r.other, err = x.NewOther(ctx, "XTerm", "terminal with Cursor in its title", os.Getpid())
	testdesk.Must(t, err)
	t.Cleanup(r.other.Close)
	if helper == "" {
		helper = testdesk.BuildRobotgo(lasting.TB(t))
	}
	r.m = keystroke.Machine{OS: "linux", Env: x.Env(), Robotgo: helper, Desktop: platform.Desktop{Kind: platform.X11}}
	return r
}

// way returns one way of typing.
func way(t testing.TB, m keystroke.Machine, name string) keystroke.Injector {
	t.Helper()
	list, err := keystroke.Injectors(m, []string{name})
	testdesk.Must(t, err)
	return list[0]
}

func x11Ways() []string { return []string{"robotgo", "xdotool"} }

// fresh empties the page, brings the editor to the front, and puts texts where Shift+Insert finds them.
func (r *room) fresh() {
	r.t.Helper()
	ctx := testdesk.Patient(r.t)
	testdesk.Must(r.t, r.x.Activate(ctx, r.editor.Window), r.x.FocusWindow(r.editor.Window), r.page.Active(ctx), r.page.Reset(ctx))
	testdesk.Must(r.t, r.x.Copy(ctx, "what was copied: äöü €\n"), r.x.Select(ctx, "primary", "rm -rf /\n"))
	testdesk.Must(r.t, r.other.Sync(ctx))
	r.other.Reset()
}

// steps collects the steps that an injector reports.
type steps struct {
	mu    sync.Mutex
	words []string
}

func (s *steps) add(words string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.words = append(s.words, words)
}

func (s *steps) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.words, "\n")
}

// target is the editor's window, whose page reports the arrival.
func (r *room) target(s *steps) keystroke.Target {
	return keystroke.Target{Line: testLine, Workspace: "/home/me/repo", Editors: []string{strings.ToLower(r.editor.Exe)},
		Arrived: r.arrived, Step: s.add}
}

func (r *room) arrived(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err := r.page.Message(ctx)
	return err
}

// problem returns what is not as it should be: the messages, an empty draft, nothing in the other window, no key
// down, and the texts where they were.
func (r *room) problem(want ...string) string {
	r.t.Helper()
	ctx := testdesk.Patient(r.t)
	s, err := r.page.State(ctx)
	testdesk.Must(r.t, err, r.other.Sync(ctx))
	down, err := r.x.Down()
	testdesk.Must(r.t, err)
	copied, err1 := r.x.Clipboard(ctx)
	selected, err2 := r.x.Selection(ctx, "primary")
	switch got := r.page.Messages(); {
	case !slices.Equal(got, want) || s.Draft != "" || s.File != "":
		return fmt.Sprintf("messages %q and state %+v, want %q", got, s, want)
	case len(r.other.Keys()) > 0 || len(r.other.Pasted()) > 0:
		return fmt.Sprintf("the other window got keys %+v and pastes %q", r.other.Keys(), r.other.Pasted())
	case len(down) > 0:
		return fmt.Sprintf("keys %v are down", down)
	case copied != "what was copied: äöü €\n" || selected != "rm -rf /\n" || err1 != nil || err2 != nil:
		return fmt.Sprintf("the clipboard holds %q, %v, and the selection %q, %v", copied, err1, selected, err2)
	}
	return ""
}

// condition is something about a keyboard that could make typing wrong.
type condition struct {
	name   string
	many   int // tries in the lab
	layout string
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

// tries returns how often to try something: most often in the lab.
func tries(few, many int) int {
	if os.Getenv("CURSOR_RALPH_LAB") == "1" {
		return many
	}
	return few
}

// Each way delivers the exact line and one Return whatever the keyboard is like, and leaves layout, locks and
// clipboard as they were.
func TestX11Matrix(t *testing.T) {
	r := sharedRoom(t)
	for _, c := range conditions() {
		r.cells(t, c, tries(2, c.many))
	}
}

// The same in real editors with a slash menu.
func TestX11MatrixOfEditors(t *testing.T) {
	short.Skip(t)
	for _, name := range testdesk.Editors() {
		t.Run(name, func(t *testing.T) {
			r := furnish(t, testdesk.NewX(t), testdesk.EditorPage(t, name, os.UserCacheDir))
			for _, c := range conditions()[:tries(1, len(conditions()))] {
				c.name += ", " + name
				r.cells(t, c, tries(2, 10))
			}
			r.submits(t)
		})
	}
}

func TestX11MatrixWithInputMethod(t *testing.T) {
	short.Skip(t)
	testdesk.Needs(t, "dbus-daemon", "ibus-daemon", "ibus")
	x := testdesk.NewX(t)
	im, err := x.StartInputMethod(testdesk.Patient(t))
	testdesk.Must(t, err)
	t.Cleanup(func() { testdesk.Must(t, im.Close()) })
	page, err := testdesk.NewPage()
	testdesk.Must(t, err)
	t.Cleanup(func() { testdesk.Must(t, page.Close()) })
	r := furnish(t, x, page)
	r.fresh()
	r.xdotool("type", "--delay", "50", "gks")
	if s, err := r.page.State(testdesk.Patient(t)); s.Draft != "한" || err != nil {
		t.Fatalf("the input method is not active: gks became %q, %v", s.Draft, err)
	}
	r.xdotool("key", "Return") // ends the syllable
	if text, err := r.page.Message(testdesk.Patient(t)); err != nil {
		t.Fatalf("after Return: message %q, %v", text, err)
	}
	r.cells(t, condition{name: "input method on (Hangul)", layout: "us"}, tries(5, 20))
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
		r.t = t
		ctx := testdesk.Patient(t)
		testdesk.Must(t, r.x.Layout(ctx, c.layout), r.x.Group(ctx, c.group), r.x.CapsLock(ctx, c.caps))
		row := "| " + c.name
		for _, name := range x11Ways() {
			good, took := 0, []time.Duration{}
			for range n {
				d, problem := r.try(t, c, way(t, r.m, name))
				if problem != "" {
					t.Errorf("%s: %s", name, problem)
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

// try types once, and returns how long it took until the message was in the page.
func (r *room) try(t *testing.T, c condition, i keystroke.Injector) (took time.Duration, problem string) {
	t.Helper()
	ctx := testdesk.Patient(t)
	r.fresh()
	if c.hold != 0 {
		testdesk.Must(t, r.x.Hold(c.hold))
		defer func() { testdesk.Must(t, r.x.LetGo(c.hold)) }()
	}
	s := &steps{}
	target := r.target(s)
	var stop func() time.Duration
	target.Arrived, stop = r.page.Clock(ctx)
	err := i.Type(ctx, target)
	took = stop()
	if err != nil {
		return 0, fmt.Sprintf("%v; it said:\n%s", err, s)
	}
	held, err1 := r.x.Held()
	group, err2 := r.x.CurrentGroup()
	testdesk.Must(t, err1, err2)
	if wasOn := held == testdesk.CapsLock; held != 0 && !wasOn || wasOn != c.caps || group != c.group {
		return 0, fmt.Sprintf("afterwards modifiers %#x and group %d", held, group)
	}
	return took, r.problem(testLine)
}

// Where Ctrl+Enter sends a message, each way presses exactly that; Return alone sends nothing.
func TestX11PressesTheSubmitKey(t *testing.T) { sharedRoom(t).submits(t) }

func (r *room) submits(t *testing.T) {
	r.t = t
	for _, name := range x11Ways() {
		for _, hold := range []uint16{0, testdesk.Ctrl} {
			r.fresh()
			testdesk.Must(t, r.page.SendByCtrlEnter(testdesk.Patient(t)))
			if hold != 0 {
				testdesk.Must(t, r.x.Hold(hold))
			}
			target := r.target(&steps{})
			var err error
			target.Submit, err = keystroke.ParseSubmitKey("ctrl+enter", "linux")
			testdesk.Must(t, err)
			testdesk.Must(t, way(t, r.m, name).Type(testdesk.Patient(t), target), r.x.LetGo(cmp.Or(hold, testdesk.Ctrl)))
			if problem := r.problem(testLine); problem != "" {
				t.Errorf("%s, %#x held: %s", name, hold, problem)
			}
		}
	}
	r.fresh()
	testdesk.Must(t, r.page.SendByCtrlEnter(testdesk.Patient(t)))
	target := r.target(&steps{})
	target.Arrived = func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		return r.arrived(ctx)
	}
	if err := way(t, r.m, "xdotool").Type(testdesk.Patient(t), target); !errors.Is(err, keystroke.ErrUnproved) {
		t.Errorf("with Return: got %v, want that nothing was sent", err)
	}
	if s, err := r.page.State(testdesk.Patient(t)); strings.TrimSuffix(s.Draft, "\n") != testLine || len(r.page.Messages()) > 0 || err != nil {
		t.Errorf("with Return: the draft is %q, the messages %q, %v", s.Draft, r.page.Messages(), err)
	}
}

// Another window is in front, or the editor's is minimized: it comes to the front.
func TestX11BringsTheEditorToTheFront(t *testing.T) {
	r := sharedRoom(t)
	for _, name := range x11Ways() {
		for what, hide := range map[string]func(context.Context) error{
			"another window is in front": r.other.Activate,
			"another one has the input focus": func(context.Context) error {
				return r.x.FocusWindow(r.other.Window())
			},
			"it is minimized": func(ctx context.Context) error { return r.x.Minimize(ctx, r.editor.Window) },
		} {
			for range tries(3, 50) {
				r.fresh()
				testdesk.Must(t, hide(testdesk.Patient(t)))
				var s steps
				if err := way(t, r.m, name).Type(testdesk.Patient(t), r.target(&s)); err != nil {
					t.Errorf("%s, %s: %v; it said:\n%s", name, what, err, &s)
					continue
				}
				if problem := r.problem(testLine); problem != "" {
					t.Errorf("%s, %s: %s", name, what, problem)
				}
			}
		}
	}
}

// The focus is taken at each moment at which the target is asked: it comes back before the key, or no key is
// pressed.
func TestX11FocusIsTakenRightBeforeAKey(t *testing.T) {
	r := sharedRoom(t)
	for _, name := range x11Ways() {
		for at, pasted := range map[int]bool{2: false, 3: true} { // right before the paste, and before Return
			for what, take := range map[string]func(context.Context) error{
				"activating": r.other.Activate,
				"focusing":   func(context.Context) error { return r.x.FocusWindow(r.other.Window()) },
			} {
				r.fresh()
				asked, target := 0, r.target(&steps{})
				target.Permit = func(ctx context.Context) error {
					if asked++; asked == at {
						return take(ctx)
					}
					return nil
				}
				err := way(t, r.m, name).Type(testdesk.Patient(t), target)
				if err == nil || errors.As(err, new(*keystroke.SentError)) != pasted {
					t.Errorf("%s, %s at %d: got %v", name, what, at, err)
				}
				testdesk.Must(t, r.other.Sync(testdesk.Patient(t)))
				if keys := r.other.Keys(); len(keys) > 0 || len(r.page.Messages()) > 0 {
					t.Errorf("%s, %s at %d: the other window got %+v, and the messages are %q", name, what, at, keys, r.page.Messages())
				}
				if s, err := r.page.State(testdesk.Patient(t)); (s.Draft == testLine) != pasted || !pasted && s.Draft != "" || err != nil {
					t.Errorf("%s, %s at %d: the draft is %q, %v", name, what, at, s.Draft, err)
				}
			}
		}
	}
}

// What is stolen at any moment is counted: check and key are two steps. Never does a text get into another window
// that would run it.
func TestX11FocusIsStolenAtAnyMoment(t *testing.T) {
	short.Skip(t)
	r := sharedRoom(t)
	for _, name := range x11Ways() {
		delivered, keys, returns := 0, 0, 0
		n := tries(5, 100)
		for moment := range n {
			r.fresh()
			stolen := make(chan error, 1)
			time.AfterFunc(time.Duration(moment)*600*time.Millisecond/time.Duration(n), func() { stolen <- r.x.AskActivation(r.other.Window()) })
			err := way(t, r.m, name).Type(testdesk.Patient(t), r.target(&steps{}))
			testdesk.Must(t, <-stolen, r.other.Sync(testdesk.Patient(t)))
			for _, k := range r.other.Keys() {
				switch {
				case k.Down && k.Sym == 0xff0d:
					returns++
				case k.Down:
					keys++
				}
			}
			switch got := r.page.Messages(); {
			case err == nil && reflect.DeepEqual(got, []string{testLine}):
				delivered++
			case err == nil || len(got) > 1 || len(got) == 1 && got[0] != testLine:
				t.Errorf("%s: error %v, messages %q", name, err, got)
			}
			for _, text := range r.other.Pasted() {
				if text != testLine {
					t.Errorf("%s: the other window got %q", name, text)
				}
			}
		}
		t.Logf("lab: | %s | %d tries | %d delivered | %d Returns and %d other keys in the other window |", name, n, delivered, returns, keys)
	}
}

// A terminal in the editor's own window pastes what is selected at Shift+Insert, and a shell would run it at Return:
// it gets our line, which a shell does not know.
func TestX11TerminalOfTheEditorIsNotGivenTheSelection(t *testing.T) {
	r := sharedRoom(t)
	r.fresh()
	ctx := testdesk.Patient(t)
	terminal, err := r.x.NewOther(ctx, "Cursor", "main.go - repo - Cursor", os.Getpid())
	testdesk.Must(t, err)
	defer terminal.Close()
	testdesk.Must(t, terminal.Activate(ctx))
	self, err := os.Executable()
	testdesk.Must(t, err)
	for _, name := range x11Ways() {
		terminal.Reset()
		err := way(t, r.m, name).Type(ctx, keystroke.Target{Line: testLine, Editors: keystroke.Editors(func(string) string { return self })})
		testdesk.Must(t, err, terminal.Sync(ctx))
		if got := terminal.Pasted(); !slices.Equal(got, []string{testLine, testLine}) {
			t.Errorf("%s: the terminal got %q", name, got)
		}
	}
}

// Of several windows the one whose title names the workspace is meant; of none nothing is typed.
func TestX11TellsWindowsApart(t *testing.T) {
	r := sharedRoom(t)
	ctx := testdesk.Patient(t)
	for what, tt := range map[string]struct{ class, title string }{
		"its title alone": {"XTerm", "repo - Cursor"},
		"its class alone": {"Cursor", "repo - Cursor"},
	} {
		r.fresh()
		imposter, err := r.x.NewOther(ctx, tt.class, tt.title, os.Getpid())
		testdesk.Must(t, err)
		target := r.target(&steps{})
		target.Editors = []string{"another-editor"}
		for _, name := range x11Ways() {
			i := way(t, r.m, name)
			if err, err2 := i.Probe(ctx, target), i.Type(ctx, target); err == nil || err2 == nil || !strings.Contains(err2.Error(), "no window of Cursor") {
				t.Errorf("%s, %s: got %v and %v", name, what, err, err2)
			}
		}
		if problem := r.problem(); problem != "" || len(imposter.Keys()) > 0 {
			t.Errorf("%s: %s, and the imposter got %v", what, problem, imposter.Keys())
		}
		imposter.Close()
	}
	self, err := os.Executable()
	testdesk.Must(t, err)
	second, err := r.x.NewOther(ctx, "Cursor", "main.go - other - Cursor", os.Getpid())
	testdesk.Must(t, err)
	defer second.Close()
	for workspace, clear := range map[string]bool{"/home/me/repo": true, "/home/me/third": false} {
		r.fresh()
		testdesk.Must(t, second.Activate(ctx))
		target := r.target(&steps{})
		target.Workspace, target.Editors = workspace, append(keystroke.Editors(func(string) string { return self }), target.Editors...)
		err := way(t, r.m, "xdotool").Type(ctx, target)
		want := []string(nil)
		if clear {
			want = []string{testLine}
		}
		if problem := r.problem(want...); (err == nil) != clear || problem != "" || len(second.Keys()) > 0 {
			t.Errorf("%s: got %v; %s, and the second window got %v", workspace, err, problem, second.Keys())
		}
	}
}

// A clipboard that holds an image cannot be put back: nothing is done with it.
func TestX11LeavesAnImageOnTheClipboard(t *testing.T) {
	r := sharedRoom(t)
	r.fresh()
	copyImage := exec.CommandContext(testdesk.Patient(t), "xclip", "-selection", "clipboard", "-t", "image/png", "-i")
	copyImage.Env, copyImage.Stdin = r.x.Env(), strings.NewReader("\x89PNG")
	testdesk.Must(t, copyImage.Run())
	for _, name := range x11Ways() {
		err := way(t, r.m, name).Type(testdesk.Patient(t), r.target(&steps{}))
		if err == nil || !strings.Contains(err.Error(), "else than text") || errors.As(err, new(*keystroke.SentError)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	paste := exec.CommandContext(testdesk.Patient(t), "xclip", "-selection", "clipboard", "-t", "image/png", "-o")
	paste.Env = r.x.Env()
	if got, err := paste.Output(); string(got) != "\x89PNG" || err != nil {
		t.Errorf("the clipboard holds %q, %v", got, err)
	}
}
