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

func key(t *testing.T, x *testdesk.X, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "xdotool", args...)
	cmd.Env = x.Env()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("xdotool: %v: %s", err, out)
	}
}

// What is typed into Chromium is what the page reports, and what is typed into
// the other window is what that reports: every other test relies on it.
func TestWindowsTellWhatIsTypedIntoThem(t *testing.T) {
	testdesk.Needs(t, "chromium")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	x := testdesk.NewX(t)
	page, err := testdesk.NewPage()
	testdesk.Must(t, err)
	defer page.Close()
	editor, err := x.StartEditor(ctx, page, testdesk.Options{Title: "repo - Cursor"})
	testdesk.Must(t, err)
	defer editor.Close()
	if editor.Exe == "" || editor.Exe == "sh" {
		t.Errorf("executable %q", editor.Exe)
	}

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
	testdesk.Must(t, page.IgnoreReturns(ctx, 1))
	key(t, x, "type", "x")
	key(t, x, "key", "Return")
	s, err := page.State(ctx)
	if want := (testdesk.State{Draft: "x", Focus: "input", Active: true}); s != want || err != nil {
		t.Errorf("state %+v, %v; want %+v", s, err, want)
	}
	testdesk.Must(t, page.SetFile(ctx, "a"), page.FocusFile(ctx))
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

	testdesk.Must(t, x.Copy(ctx, "copied"))
	other, err := x.NewOther(ctx, "XTerm", "terminal", os.Getpid())
	testdesk.Must(t, err)
	defer other.Close()
	testdesk.Must(t, other.Activate(ctx))
	key(t, x, "key", "shift+Insert")
	key(t, x, "key", "b")
	testdesk.Must(t, other.Sync(ctx))
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
	x := testdesk.NewX(t)
	ctx := t.Context()
	testdesk.Must(t, x.Layout(ctx, "us,ru"), x.Group(ctx, 1), x.CapsLock(ctx, true), x.Hold(testdesk.Ctrl))
	if group, err := x.CurrentGroup(); group != 1 || err != nil {
		t.Errorf("group %d, %v", group, err)
	}
	if held, err := x.Held(); held != testdesk.Ctrl|testdesk.CapsLock || err != nil {
		t.Errorf("held %b, %v", held, err)
	}
	if down, err := x.Down(); len(down) != 1 || err != nil {
		t.Errorf("down %v, %v", down, err)
	}
	testdesk.Must(t, x.LetGo(testdesk.Ctrl), x.CapsLock(ctx, false), x.Layout(ctx, "de"))
	held, err := x.Held()
	testdesk.Must(t, err)
	group, err := x.CurrentGroup()
	testdesk.Must(t, err)
	if held != 0 || group != 0 {
		t.Errorf("held %b, group %d", held, group)
	}
	other, err := x.NewOther(ctx, "XTerm", "terminal", os.Getpid())
	testdesk.Must(t, err)
	defer other.Close()
	testdesk.Must(t, other.Activate(ctx))
	key(t, x, "key", "--clearmodifiers", "z")
	testdesk.Must(t, other.Sync(ctx))
	if got := other.Keys(); len(got) != 2 || got[0].Code != 29 {
		t.Errorf("z on de: %+v, want the key right of t, 29", got)
	}
}
