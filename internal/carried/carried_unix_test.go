//go:build !windows

package carried

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheCopyIsTheUsersAlone(t *testing.T) {
	m := newMachine(t)
	c := m.keep(m.unpack("1.0.0", "cursor"))
	for path, want := range map[string]os.FileMode{m.root: 0o700, c.Bin: 0o700, filepath.Join(c.Bin, "cursor-ralph-hook"): 0o700, filepath.Join(c.Plugin, "README.md"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: got %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
}
