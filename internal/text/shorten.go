// Package text shortens and cleans text from outside for a terminal, a log and
// a notification. It knows nothing of loops: loop.Unmarked hides promises.
package text

import (
	"strings"
	"unicode/utf8"
)

// Line joins the words of s with single spaces.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }

// First returns the first line of s that is not blank, trimmed.
func First(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}

// Limit returns s in at most n characters, the last of them an ellipsis if s is
// longer.
func Limit(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:max(0, n-1)]) + "…"
}

// Head returns s, or its Prefix and an ellipsis.
func Head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Prefix(s, n) + "…"
}

// Prefix returns at most the first n bytes of s, without splitting a character.
func Prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// FirstHead returns the Head of the first line of s.
func FirstHead(s string, n int) string { return Head(First(s), n) }

// Tail returns at most the last n bytes of s, without splitting a character.
func Tail[T ~string | ~[]byte](s T, n int) T {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for i := range min(len(s), utf8.UTFMax) {
		if utf8.RuneStart(s[i]) {
			return s[i:]
		}
	}
	return s
}
