package state

import "time"

// seenFollowups is whether a version of Cursor shows follow-ups to the prompt
// hook, and when that was observed last.
type seenFollowups struct {
	Shown bool      `json:"shown"`
	At    time.Time `json:"at"`
}

func (f seenFollowups) at() time.Time { return f.At }

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
	return true, seen.add(s, followupsName, version, seenFollowups{shown, s.now()})
}
