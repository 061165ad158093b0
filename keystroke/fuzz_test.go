package keystroke

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/key"
)

// FuzzChord asserts that every chord which is read can be written and read
// again, and pressed.
func FuzzChord(f *testing.F) {
	for _, text := range []string{"", "ctrl+i", "Cmd + Shift+L", "alt+f12", "super+0", "f5", "a", "shift+a", "ctrl", "ctrl+", "+", "ctrl++i", "meta+win+option+z", "ctrl+İ", "ctrl+f13", "ctrl+return"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseChord(text)
		if err != nil || text == "" {
			if c != (Chord{}) {
				t.Errorf("%q: got %+v, %v", text, c, err)
			}
			return
		}
		if again, err := ParseChord(c.String()); again != c || err != nil {
			t.Errorf("%q: got %+v, %v back, want %+v", text, again, err, c)
		}
		if len(c.Key) == 1 && !c.Ctrl && !c.Alt && !c.Super {
			t.Errorf("%q: got %v, which types a character", text, c)
		}
		if _, err := key.Of(c); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

// FuzzWindows asserts that a line is typed into one window alone, and only where its
// title names the workspace if there are several.
func FuzzWindows(f *testing.F) {
	f.Add("a - repo - Cursor\nb - other - Cursor", "/home/me/repo")
	f.Add("\n\n", `C:\repo`)
	f.Add("● main.go — repo [SSH: x] — Cursor", "repo")
	f.Add("repo - Cursor\nrepo - Cursor", "")
	f.Add("repo - Cursor\na - repo - Cursor", "/repo")
	f.Fuzz(func(t *testing.T, titles, workspace string) {
		var windows []desk.Window
		for title := range strings.SplitSeq(titles, "\n") {
			windows = append(windows, desk.Window{Title: title})
		}
		w, err := pick(windows, workspace)
		name := path.Base(strings.ReplaceAll(workspace, `\`, "/"))
		if err == nil && (!slices.Contains(windows, w) || len(windows) > 1 && (workspace == "" || !strings.Contains(w.Title, name))) {
			t.Errorf("got %q of %q for %q", w, windows, workspace)
		}
		if err == nil && len(windows) > 1 && len(slices.DeleteFunc(slices.Clone(windows), func(w desk.Window) bool { return !names(w.Title, name) })) != 1 {
			t.Errorf("got %q, which is not the only one of %q for %q", w, windows, workspace)
		}
	})
}
