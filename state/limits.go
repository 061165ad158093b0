package state

import (
	"maps"
	"time"
)

// SeenLimit is what was observed of the session limit of a version of Cursor.
type SeenLimit struct {
	Limit        int       `json:"limit"` // stops that Cursor lets a hook answer in a row; 0, no limit, was proved
	At           time.Time `json:"at"`
	Observations int       `json:"observations,omitempty"` // that suggest a limit; older files have none, and mean one
	In           string    `json:"in,omitempty"`           // which session the last of them was
}

func (l SeenLimit) at() time.Time { return l.At }

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
	return true, limits.add(s, limitsName, version, SeenLimit{At: s.now()})
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
	now := SeenLimit{Limit: limit, At: s.now(), Observations: before + 1, In: session}
	return now.counts(s.now()) && (!known || !was.counts(s.now())), limits.add(s, limitsName, version, now)
}

// seenAbort is when a stop of a version was first reported as aborted.
type seenAbort struct {
	At time.Time `json:"at"`
}

func (a seenAbort) at() time.Time { return a.At }

const abortsName = ".aborted-stops.json"

// Aborts reports whether this version of Cursor has reported the user's Stop as
// aborted. Some reportedly call it an error.
func (s *Store) Aborts(version string) (bool, error) {
	aborts, err := readSeen[seenAbort](s, abortsName)
	_, ok := aborts[version]
	return ok, err
}

// SeeAbort remembers that a version does.
func (s *Store) SeeAbort(version string) error {
	aborts, err := readSeen[seenAbort](s, abortsName)
	if _, ok := aborts[version]; ok || err != nil {
		return err
	}
	return aborts.add(s, abortsName, version, seenAbort{s.now()})
}
