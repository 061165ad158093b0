package x11_test

import (
	"context"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/x11"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

const testLine = "/ralph-loop --continue 6f1d2c3b-0a4e-4b5f-9c8d-7e6a5b4c3d2e"

// room is a desktop with the editor's window and another program's.
type room struct {
	t      testing.TB
	x      *testdesk.X
	page   *testdesk.Page
	editor *testdesk.Editor
	window uint32 // the editor's
	other  *testdesk.Other
	m      keystroke.Machine
}

func TestMain(m *testing.M) { os.Exit(x11.Lasting.Main(m)) }

var shared *room

// sharedRoom returns the one room that most tests use, on a us keyboard.
func sharedRoom(t *testing.T) *room {
	t.Helper()
	if shared == nil {
		l := x11.Lasting.TB(t)
		shared = furnish(l, x11.SharedX(l))
	}
	r := *shared
	r.t = t
	testdesk.Must(t, r.x.Layout(testdesk.Patient(t), "us"), r.x.CapsLock(testdesk.Patient(t), false))
	return &r
}

// withPrograms returns the shared room with the program that robotgo is in.
func withPrograms(t *testing.T) *room {
	t.Helper()
	r := sharedRoom(t)
	r.m.Robotgo = buildRobotgo(t)
	return r
}

// furnish opens the windows on a display.
func furnish(t testing.TB, x *testdesk.X) *room {
	t.Helper()
	page, err := testdesk.NewPage()
	testdesk.Must(t, err)
	t.Cleanup(func() { testdesk.Must(t, page.Close()) })
	return furnishWith(t, x, page)
}

// furnishWith opens the windows, with that page as the editor's.
func furnishWith(t testing.TB, x *testdesk.X, page *testdesk.Page) *room {
	t.Helper()
	testdesk.Needs(t, "chromium")
	ctx := testdesk.Patient(t)
	r := &room{t: t, x: x, page: page}
	var err error
	r.editor, err = r.x.StartEditor(ctx, r.page, testdesk.Options{Title: "main.go - repo - Cursor"})
	testdesk.Must(t, err)
	t.Cleanup(func() { testdesk.Must(t, r.editor.Close()) })
	r.window = r.editor.Window
	r.other, err = r.x.NewOther(ctx, "XTerm", "terminal with Cursor in its title", os.Getpid())
	testdesk.Must(t, err)
	t.Cleanup(r.other.Close)
	r.m = keystroke.Machine{OS: "linux", Env: append(r.x.Env(), "CURSOR_RALPH_TEST_PROCESS=guard")}
	return r
}

// fresh empties the page, and brings the editor to the front.
func (r *room) fresh() {
	r.t.Helper()
	ctx := testdesk.Patient(r.t)
	testdesk.Must(r.t, r.x.Activate(ctx, r.window), r.x.FocusWindow(r.window), r.page.Active(ctx), r.page.Reset(ctx))
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

// exact checks that the line is the only message and the other window got nothing.
func (r *room) exact() {
	r.t.Helper()
	s, err := r.page.State(testdesk.Patient(r.t))
	testdesk.Must(r.t, err)
	if got := r.page.Messages(); !reflect.DeepEqual(got, []string{testLine}) || s.Draft != "" || s.File != "" {
		r.t.Errorf("messages %q and state %+v, want the line once", got, s)
	}
	r.untouched()
}

// nothing checks that there is no message, no draft, and nothing in the other window.
func (r *room) nothing() {
	r.t.Helper()
	s, err := r.page.State(testdesk.Patient(r.t))
	testdesk.Must(r.t, err)
	if got := r.page.Messages(); len(got) > 0 || s.Draft != "" || s.File != "" {
		r.t.Errorf("messages %q and state %+v, want nothing", got, s)
	}
	r.untouched()
}

// untouched checks that the other window got nothing and no key is down.
func (r *room) untouched() {
	r.t.Helper()
	testdesk.Must(r.t, r.other.Sync(testdesk.Patient(r.t)))
	if keys, pasted := r.other.Keys(), r.other.Pasted(); len(keys) > 0 || len(pasted) > 0 {
		r.t.Errorf("the other window got keys %+v and pastes %q", keys, pasted)
	}
	down, err := r.x.Down()
	testdesk.Must(r.t, err)
	if len(down) > 0 {
		r.t.Errorf("keys %v are down", down)
	}
}

// holds waits until a text is on the clipboard, or is the primary selection: a
// guard may be about to put it there.
func (r *room) holds(selection, want string) {
	r.t.Helper()
	var got string
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); {
		got, _ = r.x.Selection(testdesk.Patient(r.t), selection) // may fail while nobody owns it
		if got == want {
			return
		}
		testdesk.Must(r.t, proc.Sleep(r.t.Context(), 5*time.Millisecond))
	}
	r.t.Errorf("the %s holds %q, want %q", selection, got, want)
}

// lab reports whether all figures are wanted, and not only a few tries.
func lab() bool { return os.Getenv("CURSOR_RALPH_LAB") == "1" }

// tries returns how often to try something: once with -short, more often without, and most often in the lab.
func tries(few, many int) int {
	if lab() {
		return many
	}
	return short.Times(1, few)
}
