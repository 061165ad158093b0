package testdesk_test

import (
	"context"
	"os"
	"os/exec"
	"reflect"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

func need(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip("needs " + p)
		}
	}
}

func startX(t *testing.T, args ...string) *testdesk.X {
	t.Helper()
	need(t, "Xvfb", "openbox", "xdotool", "setxkbmap", "xclip")
	x, err := testdesk.StartX(t.Context(), t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, x.Close()) })
	check(t, x.StartWM(t.Context()))
	return x
}

func check(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func key(t *testing.T, x *testdesk.X, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "xdotool", args...)
	cmd.Env = x.Env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("xdotool: %v: %s", err, out)
	}
}

// What is typed into Chromium is what the page tells, and what is typed into
// the other window is what that tells: everything else rests on it.
func TestWindowsTellWhatIsTypedIntoThem(t *testing.T) {
	need(t, "chromium")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	x := startX(t)
	page, err := testdesk.NewPage()
	check(t, err)
	defer page.Close()
	editor, err := testdesk.StartEditor(ctx, t.TempDir(), x.Env(), page, testdesk.Options{Title: "repo - Cursor"})
	check(t, err)
	defer editor.Close()
	if editor.Exe == "" || editor.Exe == "sh" {
		t.Errorf("executable %q", editor.Exe)
	}
	windows, err := x.Windows(editor.Pid)
	check(t, err)
	if len(windows) != 1 {
		t.Fatalf("%d windows of Chromium", len(windows))
	}
	check(t, x.Activate(ctx, windows[0]), page.Active(ctx), page.Reset(ctx))

	key(t, x, "type", "hallo")
	key(t, x, "key", "Return")
	key(t, x, "key", "Return")
	for _, want := range []string{"hallo", ""} {
		if got, err := page.Message(ctx); got != want || err != nil {
			t.Errorf("message %q, %v; want %q", got, err, want)
		}
	}
	if got, want := page.Keys()[1], (testdesk.Key{Key: "a", Code: "KeyA", Element: "input"}); got != want {
		t.Errorf("key %+v, want %+v", got, want)
	}
	check(t, page.IgnoreReturns(ctx, 1))
	key(t, x, "type", "x")
	key(t, x, "key", "Return")
	s, err := page.State(ctx)
	if want := (testdesk.State{Draft: "x", Focus: "input", Active: true}); s != want || err != nil {
		t.Errorf("state %+v, %v; want %+v", s, err, want)
	}
	check(t, page.SetFile(ctx, "a"), page.FocusFile(ctx))
	key(t, x, "type", "b")
	if s, err = page.State(ctx); s.File != "ab" || s.Focus != "file" || err != nil {
		t.Errorf("state %+v, %v", s, err)
	}
	if got := page.FileVersions(); !reflect.DeepEqual(got, []string{"ab"}) {
		t.Errorf("file changed to %q", got)
	}
	if got := page.Messages(); !reflect.DeepEqual(got, []string{"hallo", ""}) {
		t.Errorf("messages %q", got)
	}

	check(t, x.Copy(ctx, "copied"))
	other, err := x.NewOther(ctx, "XTerm", "terminal", os.Getpid())
	check(t, err)
	defer other.Close()
	check(t, other.Activate(ctx))
	key(t, x, "key", "shift+Insert")
	key(t, x, "key", "b")
	check(t, other.Sync(ctx))
	if got := other.Pasted(); !reflect.DeepEqual(got, []string{"copied"}) {
		t.Errorf("pasted %q", got)
	}
	if got := other.Keys(); len(got) != 6 || got[4].Sym != 'b' || !got[4].Down || got[5].Down {
		t.Errorf("keys %+v", got)
	}
	if s, err = page.State(ctx); s.Active || s.File != "ab" || err != nil {
		t.Errorf("in the page arrived what went to the other window: %+v, %v", s, err)
	}
}

func TestKeyboardConditions(t *testing.T) {
	x := startX(t)
	ctx := t.Context()
	check(t, x.Layout(ctx, "us,ru"), x.Group(ctx, 1), x.CapsLock(ctx, true), x.Hold(testdesk.Ctrl))
	if group, err := x.CurrentGroup(); group != 1 || err != nil {
		t.Errorf("group %d, %v", group, err)
	}
	if held, err := x.Held(); held != testdesk.Ctrl|testdesk.CapsLock || err != nil {
		t.Errorf("held %b, %v", held, err)
	}
	if down, err := x.Down(); len(down) != 1 || err != nil {
		t.Errorf("down %v, %v", down, err)
	}
	check(t, x.LetGo(testdesk.Ctrl), x.CapsLock(ctx, false), x.Layout(ctx, "de"))
	held, err := x.Held()
	check(t, err)
	group, err := x.CurrentGroup()
	check(t, err)
	if held != 0 || group != 0 {
		t.Errorf("held %b, group %d", held, group)
	}
	other, err := x.NewOther(ctx, "XTerm", "terminal", os.Getpid())
	check(t, err)
	defer other.Close()
	check(t, other.Activate(ctx))
	key(t, x, "key", "--clearmodifiers", "z")
	check(t, other.Sync(ctx))
	if got := other.Keys(); len(got) != 2 || got[0].Code != 29 {
		t.Errorf("z on de: %+v, want the key right of t, 29", got)
	}
}

func TestServerHangsAndGoesOn(t *testing.T) {
	x := startX(t)
	check(t, x.Stop())
	time.AfterFunc(100*time.Millisecond, func() { _ = x.Continue() })
	began := time.Now()
	if _, err := x.Held(); err != nil || time.Since(began) < 50*time.Millisecond {
		t.Errorf("answered after %s, %v", time.Since(began), err)
	}
	check(t, x.KillWM())
}

func TestInputMethodChangesWhatIsTyped(t *testing.T) {
	need(t, "chromium", "dbus-daemon", "ibus-daemon")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	x := startX(t)
	im, err := x.StartInputMethod(ctx)
	check(t, err)
	t.Cleanup(func() { check(t, im.Close()) })
	page, err := testdesk.NewPage()
	check(t, err)
	defer page.Close()
	editor, err := testdesk.StartEditor(ctx, t.TempDir(), x.Env(), page, testdesk.Options{})
	check(t, err)
	defer editor.Close()
	check(t, page.Active(ctx))
	key(t, x, "type", "--delay", "50", "gks")
	s, err := page.State(ctx)
	if s.Draft != "한" || err != nil {
		t.Errorf("gks became %q, %v; want 한", s.Draft, err)
	}
}
