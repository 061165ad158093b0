package state

import "time"

// SeenLimit is what was seen of a Cursor's session limit.
type SeenLimit struct {
	Limit int       `json:"limit"` // stops that Cursor lets a hook answer in a row, 0 for no limit
	At    time.Time `json:"at"`
}

func (l SeenLimit) at() time.Time { return l.At }

const limitsName = ".session-limits.json"

// SeenLimits gives what was seen, by the version that Cursor gives itself.
func (s *Store) SeenLimits() (map[string]SeenLimit, error) {
	return readSeen[SeenLimit](s, limitsName)
}

// SeeLimit remembers what was seen of a version, and tells whether that is new.
func (s *Store) SeeLimit(version string, limit int) (changed bool, err error) {
	limits, err := readSeen[SeenLimit](s, limitsName)
	if err != nil {
		return false, err
	}
	if was, ok := limits[version]; ok && was.Limit == limit {
		return false, nil
	}
	return true, limits.add(s, limitsName, version, SeenLimit{limit, s.now()})
}

// seenAbort is when a stop of a version was first reported as aborted.
type seenAbort struct {
	At time.Time `json:"at"`
}

func (a seenAbort) at() time.Time { return a.At }

const abortsName = ".aborted-stops.json"

// Aborts tells whether this version of Cursor was seen to report the user's Stop
// as aborted. Of some it is reported that they call it an error.
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
