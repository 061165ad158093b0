package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// safe makes text of several lines safe to show.
func safe(s string) string {
	return text.FixedWidth(text.Escape(loop.Unmarked(strings.ReplaceAll(s, "\r\n", "\n"))))
}

// oneLine makes text safe to show in a line.
func oneLine(s string) string { return text.Line(safe(s)) }

// StatusLine returns one line, no wider than the window: its beginning, and as much
// of the end of the words as fits beside it. Both are safe for a terminal.
func StatusLine(begins, words string, width int) string {
	screen := view.Screen{Width: width}
	begins = screen.Cut(text.FixedWidth(begins), width)
	words = text.Line(text.FixedWidth(words))
	room := width - ansi.StringWidthWc(begins) - 2
	if words == "" || room < 2 {
		return begins
	}
	return begins + "  " + screen.CutFront(words, room)
}

func (m model) screenOf(width int) view.Screen {
	return view.Screen{Width: max(1, width), ASCII: m.ASCII}
}

// fit returns a line of exactly the panel's width.
func (m model) fit(line string) string {
	line = m.screenOf(m.width).Cut(line, m.width)
	return line + strings.Repeat(" ", max(0, m.width-ansi.StringWidthWc(line)))
}

// wrap breaks text into lines that fit, at most so many.
func (m model) wrap(s string, width, most int) []string {
	if s == "" || width <= 0 || most <= 0 {
		return nil
	}
	return m.screenOf(width).Wrap(s, width, most)
}
