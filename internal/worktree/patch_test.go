package worktree

import (
	"slices"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	w := newWorld(t)
	w.commit()
	w.write("file", "three\n")
	w.write("new", "x\n")
	w.write("ignored", "y\n")
	p, err := Diff(t.Context(), w.dir, w.env)
	if err != nil || !slices.Equal(p.Files, []string{"M\tfile", "A\tnew"}) || !strings.Contains(p.Text, "-one\n+three\n") || !p.Cut {
		t.Errorf("got %+v, %v", p, err)
	}
	if _, err := Diff(t.Context(), t.TempDir(), w.env); err == nil {
		t.Error("no repository: got no error")
	}
}
