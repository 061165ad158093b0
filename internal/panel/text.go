package panel

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// short cuts text before anything else is done with it: it may be of any size.
// A copy keeps no large text alive.
func short(text string) string {
	if len(text) <= keptText {
		return strings.Clone(text)
	}
	return strings.ToValidUTF8(text[:keptText], "") + "…"
}

// calm takes out of text, which is safe for a terminal, what terminals disagree
// about, so that a line is as wide on the screen as it is counted here: what joins
// or changes emoji, and marks piled upon a letter.
func calm(text string) string {
	const mostMarks = 3
	var b strings.Builder
	marks := 0
	for _, r := range text {
		switch {
		case r == '\t':
			b.WriteString("    ")
			continue
		case unsettled(r):
			continue // and the marks around it stand together
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

// unsettled tells of what has no width of its own, or changes that of others. The
// letters of Persian stay parted: U+200C is of no width everywhere.
func unsettled(r rune) bool {
	switch {
	case r == 0x200c:
		return false
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef: // variation selectors
		return true
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin colors
		return true
	}
	return unicode.Is(unicode.Cf, r) || r == 0x2028 || r == 0x2029
}

// safe makes text of several lines safe to show.
func (p Panel) safe(text string) string {
	return calm(p.Plain(strings.ReplaceAll(text, "\r\n", "\n")))
}

// oneLine makes text safe to show in a line.
func (p Panel) oneLine(text string) string {
	return strings.Join(strings.Fields(p.safe(text)), " ")
}

// cut gives the part of a line that fits.
func cut(line string, width int) string {
	for room := width; room > 0; room-- {
		// What is cut is counted by letters, and a vowel sign may have a column of its own.
		if part := ansi.TruncateWc(line, room, "…"); ansi.StringWidthWc(part) <= width {
			return part
		}
	}
	return ""
}

// fit gives a line of exactly this width.
func fit(line string, width int) string {
	line = cut(line, width)
	return line + strings.Repeat(" ", max(0, width-ansi.StringWidthWc(line)))
}

// wrap parts text into lines that fit, at most so many; the last one says where
// there are more.
func wrap(text string, width, most int) []string {
	if text == "" || width <= 0 || most <= 0 {
		return nil
	}
	// Wrap alone leaves a line too wide that begins with spaces.
	lines := strings.Split(ansi.HardwrapWc(ansi.WrapWc(text, width, ""), width, true), "\n")
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = cut(lines[most-1]+" …", width)
	}
	return lines
}
