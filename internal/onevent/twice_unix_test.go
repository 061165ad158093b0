//go:build unix

package onevent

import (
	"path/filepath"
)

const me = "11111111-aaaa-4bbb-8ccc-000000000001"

// lockAll takes the locks of all loops.
func (w world) lockAll() (release func()) {
	w.Helper()
	locks, err := filepath.Glob(filepath.Join(w.places.Pending(), ".loop-*.lock"))
	w.must(err)
	if len(locks) == 0 {
		w.Fatal("there is no lock yet")
	}
	var releases []func() error
	for _, path := range locks {
		release, err := lock(path)
		w.must(err)
		releases = append(releases, release)
	}
	return func() {
		for _, release := range releases {
			w.must(release())
		}
	}
}
