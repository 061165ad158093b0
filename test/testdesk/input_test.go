package testdesk_test

import (
	"context"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

const line = "/ralph-loop --continue 6f1d2c3b"

// The editors report what the text area does. Their menu is as PROTOCOL.md has
// it of Cursor's [rep]: Enter picks the row of an open menu, and a pasted line is
// submitted as plain text.
func TestEditorsHaveASlashMenu(t *testing.T) {
	testdesk.Needs(t, "chromium")
	x := testdesk.NewX(t)
	for _, name := range testdesk.Editors() {
		t.Run(name, func(t *testing.T) { menuPicks(t, x, name) })
	}
}

// editing opens a page with an editor, in front.
func editing(ctx context.Context, t *testing.T, x *testdesk.X, name string) *testdesk.Page {
	t.Helper()
	page := testdesk.EditorPage(t, name, os.UserCacheDir)
	editor, err := x.StartEditor(ctx, page, testdesk.Options{})
	testdesk.Must(t, err)
	t.Cleanup(func() { testdesk.Must(t, editor.Close()) })
	return page
}

func menuPicks(t *testing.T, x *testdesk.X, name string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	page := editing(ctx, t, x, name)
	is := func(doing string, want testdesk.State, messages ...string) {
		t.Helper()
		want.Focus, want.Active = "input", true
		for late := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			s, err := page.State(ctx)
			got := page.Messages()
			switch {
			case s == want && err == nil && (len(got)+len(messages) == 0 || reflect.DeepEqual(got, messages)):
				return
			case err != nil || time.Now().After(late):
				t.Fatalf("%s: %+v, %q, %v; want %+v, %q", doing, s, got, err, want, messages)
			}
		}
	}
	key(t, x, "key", "Return")
	is("Return in the empty input", testdesk.State{}, "")
	testdesk.Must(t, page.Reset(ctx))
	key(t, x, "type", "hi /ra")
	is("a command is typed", testdesk.State{Draft: "hi /ra", Row: "/ralph-cancel"})
	key(t, x, "type", "lph-l")
	is("more of it", testdesk.State{Draft: "hi /ralph-l", Row: "/ralph-loop"})
	key(t, x, "key", "Return")
	is("Return picks the row", testdesk.State{Draft: "hi /ralph-loop "})
	testdesk.Must(t, page.IgnoreReturns(ctx, 1))
	key(t, x, "key", "Return")
	is("a Return that is ignored", testdesk.State{Draft: "hi /ralph-loop "})
	key(t, x, "key", "Return")
	is("and one that is not", testdesk.State{}, "hi /ralph-loop ")

	testdesk.Must(t, page.Reset(ctx), x.Copy(ctx, line), x.Select(ctx, "primary", line))
	key(t, x, "key", "shift+Insert")
	is("a line is pasted", testdesk.State{Draft: line})
	key(t, x, "key", "Return")
	is("and submitted", testdesk.State{}, line)

	testdesk.Must(t, page.Reset(ctx), page.SendByCtrlEnter(ctx))
	key(t, x, "key", "shift+Insert")
	key(t, x, "key", "Return")
	is("Return is a new line", testdesk.State{Draft: line + "\n"})
	key(t, x, "key", "ctrl+Return")
	is("and Ctrl+Return submits", testdesk.State{}, line+"\n")
}
