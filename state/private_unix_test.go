//go:build unix

package state_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestFilesArePrivate(t *testing.T) {
	w := newWorld(t)
	w.must(w.store.Claim(w.context(), me, func(live string) error { return os.WriteFile(live, []byte(seven("a")), 0o644) }))
	w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool}))
	w.stop(me)
	w.must(filepath.WalkDir(filepath.Dir(w.places.Base), func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == filepath.Dir(w.places.Base) {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got mode %v, want it private", path, info.Mode())
		}
		return err
	}))
}
