package state

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// keptVersions is how many versions of Cursor are remembered.
const keptVersions = 20

// seen is what was found out about each version of Cursor, by the version that
// it gives itself.
type seen[T interface{ at() time.Time }] map[string]T

// readSeen reads a file of the archive, whose name cannot be the record of a
// loop: an id does not begin with a dot. A file that cannot be understood counts
// as none: what it said is seen again.
func readSeen[T interface{ at() time.Time }](s *Store, name string) (seen[T], error) {
	data, _, err := ownfile.Read(filepath.Join(s.places.Archive, name), 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	found := seen[T]{}
	if json.Unmarshal(data, &found) != nil || found == nil {
		found = seen[T]{}
	}
	return found, nil
}

// add remembers one version more. Of two at once one is lost, and will be seen
// again.
func (found seen[T]) add(s *Store, name, version string, what T) error {
	delete(found, version)
	for len(found) >= keptVersions {
		delete(found, found.oldest())
	}
	found[version] = what
	data, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return err
	}
	return s.replaceKept(filepath.Join(s.places.Archive, name), append(data, '\n'), false)
}

func (found seen[T]) oldest() string {
	return slices.MinFunc(slices.Sorted(maps.Keys(found)), func(a, b string) int { return found[a].at().Compare(found[b].at()) })
}
