package x11

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/jezek/xgb/xproto"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

func TestClassOfTheEditor(t *testing.T) {
	editors := desk.Editors{"code", ""}
	for value, want := range map[string]bool{
		"code\x00Code\x00":        true, // as CURSOR_RALPH_EDITOR_EXE names the executable
		"code\x00\x00":            false,
		"code\x00Codes\x00":       false,
		"cursor\x00Cursor\x00":    true,
		"cursor\x00cursor\x00":    true,
		"x\x00Cursor-Nightly\x00": true,
		"cursor\x00Cursor":        true,
		"Cursor\x00Chromium\x00":  false, // the instance does not count
		"Cursor":                  false,
		"cursor\x00Cursors\x00":   false,
		"cursor\x00My Cursor\x00": false,
		"":                        false,
	} {
		if got := isClass(editors, []byte(value)); got != want {
			t.Errorf("%q: got %t, want %t", value, got, want)
		}
	}
}

func TestRuns(t *testing.T) {
	me := desk.Executable(os.Args[0])
	if path, err := os.Readlink("/proc/self/exe"); err != nil {
		t.Skip("needs /proc")
	} else if desk.Executable(path) != me {
		t.Fatalf("we are %s and not %s", path, me)
	}
	for _, tt := range []struct {
		editors []string
		pid     int
		want    bool
	}{
		{[]string{"cursor", me}, os.Getpid(), true},
		{[]string{"cursor"}, os.Getpid(), false},
		{nil, os.Getpid(), false},
		{[]string{me}, 0, false},
		{[]string{me}, -1, false},
		{[]string{me}, 1 << 30, false},
	} {
		if got := runs(tt.editors, tt.pid); got != tt.want {
			t.Errorf("%q, %d: got %t, want %t", tt.editors, tt.pid, got, tt.want)
		}
	}
}

// nest opens a window with another in it, without a window manager's help.
func nest(t *testing.T, x *Display) (outer, inner xproto.Window) {
	t.Helper()
	parent := x.root
	for _, id := range []*xproto.Window{&outer, &inner} {
		var err error
		*id, err = xproto.NewWindowId(x.conn)
		testdesk.Must(t, err)
		testdesk.Must(t, xproto.CreateWindowChecked(x.conn, 0, *id, parent, 0, 0, 9, 9, 0, xproto.WindowClassInputOutput, 0, 0, nil).Check(),
			xproto.MapWindowChecked(x.conn, *id).Check())
		parent = *id
	}
	return outer, inner
}

func TestFocusedWithoutAWindowManager(t *testing.T) {
	testdesk.Needs(t, "Xvfb")
	ctx := testdesk.Patient(t)
	server, err := testdesk.StartX(ctx, t.TempDir())
	testdesk.Must(t, err)
	t.Cleanup(func() { testdesk.Must(t, server.Close()) })
	x := open(t, server)
	outer, inner := nest(t, x)
	another, _ := nest(t, x)
	w := desk.Window{ID: fmt.Sprint(uint32(outer))}
	for _, tt := range []struct {
		name  string
		focus xproto.Window
		want  bool
	}{
		{"the window", outer, true}, {"one in it", inner, true}, {"another", another, false},
		{"the root", x.root, false}, {"none", xproto.InputFocusNone, false}, {"what is under the pointer", xproto.InputFocusPointerRoot, false},
	} {
		testdesk.Must(t, xproto.SetInputFocusChecked(x.conn, xproto.InputFocusNone, tt.focus, 0).Check())
		if got, err := x.Focused(ctx, w); got != tt.want || err != nil {
			t.Errorf("%s: got %t, %v; want %t", tt.name, got, err, tt.want)
		}
	}
	testdesk.Must(t, x.Activate(ctx, w))
	if ok, err := x.Focused(ctx, w); !ok || err != nil {
		t.Errorf("after activate: got %t, %v", ok, err)
	}
	testdesk.Must(t, xproto.UnmapWindowChecked(x.conn, outer).Check())
	if err := x.Activate(ctx, w); err == nil {
		t.Error("a hidden window was activated without a window manager")
	}
}

// A window that has the input focus is not the active one as long as the window
// manager says otherwise.
func TestFocusedNeedsTheWindowManagersWord(t *testing.T) {
	server := testdesk.NewX(t)
	ctx := testdesk.Patient(t)
	x := open(t, server)
	o, err := server.NewOther(ctx, "Cursor", "repo - Cursor", os.Getpid())
	testdesk.Must(t, err)
	defer o.Close()
	testdesk.Must(t, o.Activate(ctx))
	w := desk.Window{ID: fmt.Sprint(o.Window())}
	if ok, err := x.Focused(ctx, w); !ok || err != nil {
		t.Errorf("got %t, %v; want focused", ok, err)
	}
	none := xproto.ChangePropertyChecked(x.conn, xproto.PropModeReplace, x.root, x.atoms["_NET_ACTIVE_WINDOW"], xproto.AtomWindow, 32, 1, put32(0))
	testdesk.Must(t, none.Check())
	if ok, err := x.Focused(ctx, w); ok || err != nil {
		t.Errorf("got %t, %v; want that it is not", ok, err)
	}
}

func TestIdle(t *testing.T) {
	server := testdesk.NewX(t)
	ctx := testdesk.Patient(t)
	x := open(t, server)
	for { // it grows by itself
		idle, err := x.Idle(ctx)
		testdesk.Must(t, err)
		if idle > 50*desk.Poll {
			break
		}
		testdesk.Must(t, proc.Sleep(ctx, desk.Poll))
	}
	testdesk.Must(t, server.Hold(testdesk.Shift), server.LetGo(testdesk.Shift))
	if idle, err := x.Idle(ctx); idle >= 50*desk.Poll || err != nil {
		t.Errorf("got %s, %v after a key", idle, err)
	}
	_, y := openShared(t)
	if idle, err := y.Idle(ctx); !errors.Is(err, desk.ErrUnknown) {
		t.Errorf("got %s, %v; want that it is unknown", idle, err)
	}
}
