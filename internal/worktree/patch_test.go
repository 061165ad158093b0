package worktree

import (
	"slices"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	w := newWorld(t)
	first := w.git("rev-parse", "HEAD")
	w.write("file", "two\n")
	w.commit()
	w.write("file", "three\n")
	w.write("new", "x\n")
	w.write("ignored", "y\n")
	for _, tt := range []struct {
		name, from, to string
		files          []string
		has            string
		cut            bool
	}{
		{"to the files", first, "", []string{"M\tfile", "A\tnew"}, "-one\n+three\n", true},
		{"from the current commit", "", "", []string{"M\tfile", "A\tnew"}, "-two\n+three\n", true},
		{"between commits", first, w.git("rev-parse", "HEAD"), []string{"M\tfile"}, "-one\n+two\n", false},
	} {
		p, err := Diff(t.Context(), w.dir, tt.from, tt.to, w.env)
		if err != nil || !slices.Equal(p.Files, tt.files) || !strings.Contains(p.Text, tt.has) || p.Cut != tt.cut {
			t.Errorf("%s: got %+v, %v", tt.name, p, err)
		}
	}
	for _, bad := range []string{"--output=x", "HEAD", "refs/heads/main"} {
		if _, err := Diff(t.Context(), w.dir, bad, "", w.env); err == nil {
			t.Errorf("%s: got no error", bad)
		}
	}
	if _, err := Diff(t.Context(), t.TempDir(), "", "", w.env); err == nil {
		t.Error("no repository: got no error")
	}
}
