//go:build unix

package state_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// What lies in its place and is not ours is neither read nor written to.
func TestALimitsFileThatIsNotOursIsRefused(t *testing.T) {
	const theirs = `{"3.6.21": {"limit": 5, "at": "2026-03-01T12:00:00Z"}}`
	for _, tt := range []struct {
		name string
		put  func(w world, path string)
	}{
		{"a symbolic link", func(w world, path string) {
			w.write(filepath.Join(w.places.Base, "theirs"), theirs)
			w.must(os.Symlink(filepath.Join(w.places.Base, "theirs"), path))
		}},
		{"a broken symbolic link", func(w world, path string) { w.must(os.Symlink(filepath.Join(w.places.Base, "none"), path)) }},
		{"a folder", func(w world, path string) { w.must(os.Mkdir(path, 0o700)) }},
		{"another user's file", func(w world, path string) {
			if os.Geteuid() != 0 {
				w.Skip("needs root, to make files of somebody else")
			}
			w.write(path, theirs)
			w.must(os.Chown(path, 12345, 12345))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.must(os.Mkdir(w.places.Archive, 0o700))
			tt.put(w, w.limitsFile())
			before := w.files()
			if seen, err := w.store.SeenLimits(); !errors.Is(err, ownfile.ErrNotOurs) || len(seen) > 0 {
				t.Errorf("read: got %v, %v, want a refusal", seen, err)
			}
			if changed, err := w.store.ProveNoLimit("3.6.21"); !errors.Is(err, ownfile.ErrNotOurs) || changed {
				t.Errorf("a proof: got %v, %v, want a refusal", changed, err)
			}
			if changed, err := w.store.SuspectLimit("3.6.21", 5, "a"); !errors.Is(err, ownfile.ErrNotOurs) || changed {
				t.Errorf("an inference: got %v, %v, want a refusal", changed, err)
			}
			if diff := cmp.Diff(before, w.files()); diff != "" {
				t.Errorf("got other files (-before +after):\n%s", diff)
			}
		})
	}
}
