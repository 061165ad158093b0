package tui

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// FuzzText asserts that whatever text comes from outside, what is drawn of it
// has no sign that a terminal obeys, and lines that are as wide as they must be.
func FuzzText(f *testing.F) {
	for _, text := range []string{
		"a\x1b[2J\x1b]0;x\x07b", "\u009b31m", "a\tb\r\nc\rd", "e\u0301\u0301\u0301\u0301\u0301", "👩\u200d👩\u200d👧 🏳\ufe0f\u200d🌈 漢字", "\u202eabc\u2066", "\xff\xfe", strings.Repeat("x", 3000), "", " \n \n", "\u2028\u00ad",
	} {
		for _, width := range []int{0, 1, 2, 40} {
			f.Add(text, width, 3)
		}
	}
	f.Fuzz(func(t *testing.T, text string, width, most int) {
		width, most = width%200, most%100
		m := model{width: max(0, width)}
		safely, line := safe(text), oneLine(text)
		if strings.ContainsFunc(safely, func(r rune) bool { return r != '\n' && obeyed(r) }) || strings.ContainsFunc(line, obeyed) {
			t.Errorf("got %q and %q of %q", safely, line, text)
		}
		if again := safe(safely); again != safely {
			t.Errorf("got %q when made safe again, want %q", again, safely)
		}
		if got := m.fit(line); ansi.StringWidthWc(got) != max(0, width) {
			t.Errorf("got %q, %d wide, want %d", got, ansi.StringWidthWc(got), width)
		}
		lines := m.wrap(safely, width, most)
		if len(lines) > max(0, most) {
			t.Errorf("got %d lines, want at most %d", len(lines), most)
		}
		for _, l := range lines {
			if ansi.StringWidthWc(l) > max(2, width) || strings.Contains(l, "\n") { // a sign of two columns has no half
				t.Errorf("got the line %q, wider than %d", l, width)
			}
		}
	})
}

// obeyed reports whether a terminal or a reader interprets a character.
func obeyed(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028
}
