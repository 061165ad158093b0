package loop

import (
	"hash/fnv"
	"strings"
	"time"
)

// Short ids begin with a letter that no hexadecimal number has, so that none is
// the beginning of a UUID, and leave out characters that are easy to confuse.
const (
	shortIDFirst = "ghjkmnpqrstvwxyz"
	shortIDRest  = "0123456789abcdefghjkmnpqrstvwxyz"
	shortIDBytes = 5
)

// IsShortID reports whether text has the form of a loop's short id.
func IsShortID(text string) bool {
	return len(text) == shortIDBytes && strings.IndexByte(shortIDFirst, text[0]) >= 0 &&
		strings.Trim(text[1:], shortIDRest) == ""
}

// In returns a loop as the one of a conversation, with its own id. Where that has to
// be derived it comes from the file as it is, without its name: a claim renames it.
// The time at which it was written tells files apart that were written by hand.
func (s State) In(conversation string, written time.Time) State {
	if s.CreatedAt.IsZero() && s.StartedAt.IsZero() && !IsShortID(s.ID) {
		as := s
		as.CreatedAt = written
		s.ID = as.ShortID()
	}
	s.ID, s.ConversationID = s.ShortID(), conversation
	return s
}

// ShortID returns the loop's own id, such as k7f2m. A loop gets it when it is
// requested and keeps it in every chat. For a loop of an older version, or one that
// was written by hand, it is derived from what does not change about the loop, so
// that every reader sees the same id without writing.
func (s *State) ShortID() string {
	if IsShortID(s.ID) {
		return s.ID
	}
	h := fnv.New64a()
	for _, part := range []string{s.ConversationID, s.Workspace, s.Prompt} {
		_, _ = h.Write([]byte(part + "\x00")) // a hash accepts everything
	}
	born := s.CreatedAt
	if born.IsZero() {
		born = s.StartedAt
	}
	if !born.IsZero() {
		text, _ := born.UTC().MarshalBinary() // no error for a time in UTC
		_, _ = h.Write(text)
	}
	n := h.Sum64()
	id := []byte{shortIDFirst[n%16]}
	for n /= 16; len(id) < shortIDBytes; n /= 32 {
		id = append(id, shortIDRest[n%32])
	}
	return string(id)
}
