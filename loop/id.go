package loop

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"
)

// maxID is the longest conversation id that is accepted, in bytes.
const maxID = 128

// NoConversation is what Cursor sends as conversation_id before there is a chat (seen in 3.18).
const NoConversation = "empty-state-draft"

// CheckID reports why id cannot be a conversation id, or nil. An id becomes
// part of a file name, of a typed command and of log lines, so it is checked
// before any of these is touched.
func CheckID(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("conversation id is empty")
	case len(id) > maxID:
		return fmt.Errorf("conversation id is longer than %d characters", maxID)
	case id == NoConversation:
		return fmt.Errorf("%s is no conversation", id)
	case id[0] == '.':
		return fmt.Errorf("conversation id %.40q begins with a dot", id)
	}
	for i := range len(id) {
		if !idByte(id[i]) {
			return fmt.Errorf("conversation id %.40q has characters other than letters, digits, dot, underscore and hyphen", id)
		}
	}
	return nil
}

func idByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '.' || c == '_' || c == '-'
}

// Argument is an id as a command of cursor-ralph takes it, also where it begins as an
// option does.
func Argument(id string) string {
	if strings.HasPrefix(id, "-") {
		return "-- " + id
	}
	return id
}

// ContinueLine is what is typed into Cursor to bring the agent back to the
// loop of a conversation.
func ContinueLine(id string) string { return "/ralph-loop --continue " + id }

// PromptLink opens Cursor with the continue line filled in; the user confirms
// it. Source: Cursor's documentation of deep links. A checked id needs no
// escaping.
func PromptLink(id string) string {
	return "cursor://anysphere.cursor-deeplink/prompt?text=%2Fralph-loop%20--continue%20" + id
}

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

// IsForAnyChat reports whether a pending file of this name waits for any conversation:
// <digits>-<digits>, with an N after the first ones where date knows no
// milliseconds (macOS).
func IsForAnyChat(name string) bool {
	ms, pid, ok := strings.Cut(name, "-")
	return ok && digits(strings.TrimSuffix(ms, "N")) && digits(pid)
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
