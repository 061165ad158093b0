package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// safe makes text of several lines safe to show.
func (p Panel) safe(s string) string {
	return text.FixedWidth(p.Plain(strings.ReplaceAll(s, "\r\n", "\n")))
}

// oneLine makes text safe to show in a line.
func (p Panel) oneLine(s string) string { return text.Line(p.safe(s)) }

// cut returns the part of a line that fits.
func cut(line string, width int) string {
	for room := width; room > 0; room-- {
		// What is cut is counted by letters, and a vowel sign may have a column of its own.
		if part := ansi.TruncateWc(line, room, "…"); ansi.StringWidthWc(part) <= width {
			return part
		}
	}
	return ""
}

// fit returns a line of exactly this width.
func fit(line string, width int) string {
	line = cut(line, width)
	return line + strings.Repeat(" ", max(0, width-ansi.StringWidthWc(line)))
}

// wrap breaks text into lines that fit, at most so many; the last one says where
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
