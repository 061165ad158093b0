package text

import (
	"strings"
	"unicode"
)

// FixedWidth removes from escaped text what terminals disagree about, so that a
// line is as wide on the screen as we count: what joins or changes emoji, and
// more than three marks on one letter. A tab becomes four spaces.
func FixedWidth(s string) string {
	const mostMarks = 3
	var b strings.Builder
	marks := 0
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteString("    ")
			continue
		case hasUnclearWidth(r):
			continue // the marks on both sides count together
		case unicode.In(r, unicode.Mn, unicode.Me):
			marks++
		default:
			marks = 0
		}
		if marks <= mostMarks {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hasUnclearWidth reports whether a character has no width of its own or changes
// another's. U+200C, which Persian needs, has no width on every terminal.
func hasUnclearWidth(r rune) bool {
	switch {
	case r == '\u200c':
		return false
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef: // variation selectors
		return true
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin colors
		return true
	}
	return hidden(r) || r == '\u200d'
}
