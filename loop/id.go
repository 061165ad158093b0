package loop

import (
	"fmt"
	"strings"
)

// maxID is the longest conversation id that is accepted, in bytes.
const maxID = 128

// CheckID reports why id cannot be a conversation id, or nil. An id becomes
// part of a file name, of a typed command and of log lines, so it is checked
// before any of these is touched.
func CheckID(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("conversation id is empty")
	case len(id) > maxID:
		return fmt.Errorf("conversation id is longer than %d characters", maxID)
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
//
//go:noinline
func ContinueLine(id string) string { return "/ralph-loop --continue " + id }

// PromptLink opens Cursor with the continue line filled in; the user confirms
// it. Source: Cursor's documentation of deep links. A checked id needs no
// escaping.
func PromptLink(id string) string {
	return "cursor://anysphere.cursor-deeplink/prompt?text=%2Fralph-loop%20--continue%20" + id
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
