package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Escape makes text safe for a terminal: control characters, which may begin an
// escape sequence, and hidden ones become the codes that JSON has for them.
// Newlines and tabs stay.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t' || !unicode.IsControl(r) && !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			one, two := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, one, two)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// HasNoWidth reports whether nobody sees a character, as those that come along when a line is
// copied.
func HasNoWidth(r rune) bool { return unicode.Is(unicode.Cf, r) }

// hidden reports whether a character has no width, changes the direction of
// text, or ends a line for some readers only. The two that join letters and the
// parts of an emoji do not count.
func hidden(r rune) bool {
	joins := r == '\u200c' || r == '\u200d'
	return unicode.Is(unicode.Cf, r) && !joins || r == '\u2028' || r == '\u2029'
}

// ASCII replaces the signs with which our own words are set.
func ASCII(s string) string {
	return strings.NewReplacer("•", "-", "·", "-", "…", "...", "‹", "(", "›", ")", "✓", "+", "✗", "x").Replace(s)
}

// Visible removes the control characters and the hidden ones. Newlines and tabs stay.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || hidden(r)) {
			return -1
		}
		return r
	}, s)
}

// HasControl reports whether s has a control character, a newline included.
func HasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// IsPlain reports whether s shows as what it is: printable characters alone.
func IsPlain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

// WithoutControls removes control characters other than newlines and tabs, and
// makes s valid UTF-8.
func WithoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Notice returns one line of at most n characters for a desktop notification.
// Some desktops read markup in it, and on Windows it may go through a PowerShell
// script inside quotes, where other quotes and $ would run what the agent wrote.
func Notice(s string, n int) string {
	s = Limit(strings.Map(quotable, Escape(Line(s))), n)
	return strings.NewReplacer("<", "‹", ">", "›", "&", "+", "$", "＄", "`", "'", `"`, "'", "“", "'", "”", "'", "„", "'", "]]", "]］").Replace(s)
}

// quotable replaces what strconv.Quote would escape: on macOS beeep quotes the
// text for AppleScript, which rejects all of it if it has a \u or \x.
func quotable(r rune) rune {
	switch {
	case strconv.IsPrint(r):
		return r
	case unicode.Is(unicode.Cf, r):
		return -1
	}
	return unicode.ReplacementChar
}
