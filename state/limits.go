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

// SeenLimit is what was seen of a Cursor's session limit.
type SeenLimit struct {
	Limit int       `json:"limit"` // stops that Cursor lets a hook answer in a row, 0 for no limit
	At    time.Time `json:"at"`
}

// keptLimits is how many versions of Cursor are remembered.
const keptLimits = 20

// limitsPath cannot be the record of a loop: an id does not begin with a dot.
func (s *Store) limitsPath() string { return filepath.Join(s.places.Archive, ".session-limits.json") }

// SeenLimits gives what was seen, by the version that Cursor gives itself. A
// file that cannot be understood counts as none: what it said is seen again.
func (s *Store) SeenLimits() (map[string]SeenLimit, error) {
	data, _, err := ownfile.Read(s.limitsPath(), 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	seen := map[string]SeenLimit{}
	if json.Unmarshal(data, &seen) != nil || seen == nil {
		seen = map[string]SeenLimit{}
	}
	return seen, nil
}

// SeeLimit remembers what was seen of a version, and tells whether that is new.
// Of two at once one is lost, and will be seen again.
func (s *Store) SeeLimit(version string, limit int) (changed bool, err error) {
	seen, err := s.SeenLimits()
	if err != nil {
		return false, err
	}
	if was, ok := seen[version]; ok && was.Limit == limit {
		return false, nil
	}
	delete(seen, version)
	for len(seen) >= keptLimits {
		delete(seen, oldest(seen))
	}
	seen[version] = SeenLimit{limit, s.now()}
	data, err := json.MarshalIndent(seen, "", "  ")
	if err != nil {
		return false, err
	}
	return true, ownfile.Replace(s.limitsPath(), s.places.Archive, append(data, '\n'), false)
}

func oldest(seen map[string]SeenLimit) string {
	return slices.MinFunc(slices.Sorted(maps.Keys(seen)), func(a, b string) int { return seen[a].At.Compare(seen[b].At) })
}
