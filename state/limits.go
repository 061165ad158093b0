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

// SeenLimit is what was observed of the session limit of a version of Cursor.
type SeenLimit struct {
	Limit int `json:"limit"` // stops that Cursor lets a hook answer in a row; 0, no limit, was proved
	seenAt
	Observations int    `json:"observations,omitempty"` // that suggest a limit; older files have none, and mean one
	In           string `json:"in,omitempty"`           // which session the last of them was
}

// seenAt is when something was observed.
type seenAt struct {
	At time.Time `json:"at"`
}

func (s seenAt) at() time.Time { return s.At }

const (
	limitsName = ".session-limits.json"

	neededObservations = 2
	inferenceExpires   = 30 * 24 * time.Hour
)

// counts reports whether hooks go by what was observed. That there is no limit
// is proved by a stop beyond it. A limit is only inferred, from a stop that is
// missing: the window may have been reloaded.
func (l SeenLimit) counts(now time.Time) bool {
	return l.Limit == 0 || l.Observations >= neededObservations && !l.expired(now)
}

func (l SeenLimit) expired(now time.Time) bool { return now.Sub(l.At) >= inferenceExpires }

// SeenLimits returns what hooks go by, by the version that Cursor gives itself.
func (s *Store) SeenLimits() (map[string]SeenLimit, error) {
	limits, err := readSeen[SeenLimit](s, limitsName)
	maps.DeleteFunc(limits, func(_ string, l SeenLimit) bool { return !l.counts(s.now()) })
	return limits, err
}

// ProveNoLimit remembers that a version has no limit, and reports whether that
// is new.
func (s *Store) ProveNoLimit(version string) (changed bool, err error) {
	limits, err := readSeen[SeenLimit](s, limitsName)
	if err != nil {
		return false, err
	}
	if was, ok := limits[version]; ok && was.Limit == 0 {
		return false, nil
	}
	return true, limits.add(s, limitsName, version, SeenLimit{seenAt: seenAt{s.now()}})
}

// SuspectLimit remembers that a version seems to have a limit, as was observed
// in a session, and reports whether hooks go by it from now on. It does not
// replace a proof, and one session counts once.
func (s *Store) SuspectLimit(version string, limit int, session string) (changed bool, err error) {
	limits, err := readSeen[SeenLimit](s, limitsName)
	if err != nil {
		return false, err
	}
	was, known := limits[version]
	before := 0
	switch {
	case known && (was.Limit == 0 || was.In == session):
		return false, nil
	case known && was.Limit == limit && !was.expired(s.now()):
		before = max(was.Observations, 1)
	}
	now := SeenLimit{Limit: limit, seenAt: seenAt{s.now()}, Observations: before + 1, In: session}
	return now.counts(s.now()) && (!known || !was.counts(s.now())), limits.add(s, limitsName, version, now)
}

// seenFollowups is whether a version of Cursor shows follow-ups to the prompt
// hook, and when that was observed last.
type seenFollowups struct {
	Shown bool `json:"shown"`
	seenAt
}

const followupsName = ".shown-followups.json"

// ShowsFollowups reports whether this version of Cursor was observed to show
// follow-ups to the prompt hook. Only then does silence mean that one was lost.
func (s *Store) ShowsFollowups(version string) (bool, error) {
	seen, err := readSeen[seenFollowups](s, followupsName)
	return seen[version].Shown, err
}

// SeeFollowups remembers whether a version shows them, and reports whether that
// is new. The last observation counts.
func (s *Store) SeeFollowups(version string, shown bool) (changed bool, err error) {
	seen, err := readSeen[seenFollowups](s, followupsName)
	if err != nil {
		return false, err
	}
	if was, ok := seen[version]; ok && was.Shown == shown {
		return false, nil
	}
	return true, seen.add(s, followupsName, version, seenFollowups{shown, seenAt{s.now()}})
}

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
