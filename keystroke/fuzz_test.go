package keystroke

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

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
		if err == nil && (!slices.ContainsFunc(windows, func(o desk.Window) bool { return o.Title == w.Title }) || len(windows) > 1 && (workspace == "" || !strings.Contains(w.Title, name))) {
			t.Errorf("got %q of %q for %q", w, windows, workspace)
		}
		if err == nil && len(windows) > 1 && len(slices.DeleteFunc(slices.Clone(windows), func(w desk.Window) bool { return !names(w.Title, name) })) != 1 {
			t.Errorf("got %q, which is not the only one of %q for %q", w, windows, workspace)
		}
	})
}
