//go:build !windows

package handoff

import (
	"os"
	"path/filepath"
	"testing"
)

// A hook that is started through a link, as a package manager keeps it, finds cursor-ralph beside the link or beside the file.
func TestBesideFollowsALink(t *testing.T) {
	dir := t.TempDir()
	real, bin, alone := filepath.Join(dir, "Caskroom", "1.2.3"), filepath.Join(dir, "bin"), filepath.Join(dir, "alone")
	for _, folder := range []string{real, bin, alone} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"cursor-ralph", "cursor-ralph-hook"} {
		if err := os.WriteFile(filepath.Join(real, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(real, name), filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(bin, "cursor-ralph-hook"), filepath.Join(alone, "cursor-ralph-hook")); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(real) // the temporary folder may be a link itself
	if err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{real: real, bin: bin, alone: real, filepath.Join(dir, "gone"): filepath.Join(dir, "gone")} {
		if got := Beside(filepath.Join(folder, "cursor-ralph-hook")); string(got) != filepath.Join(want, "cursor-ralph") {
			t.Errorf("%s: got %s", folder, got)
		}
	}
}
