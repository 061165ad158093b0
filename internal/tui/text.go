package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func safe(s string) string {
	return text.FixedWidth(text.Escape(loop.Unmarked(strings.ReplaceAll(s, "\r\n", "\n"))))
}

func oneLine(s string) string { return text.Line(safe(s)) }

func (m model) screenOf(width int) view.Screen {
	return view.Screen{Width: max(1, width), ASCII: m.ASCII}
}

func (m model) fit(line string) string {
	line = m.screenOf(m.width).Cut(line, m.width)
	return line + strings.Repeat(" ", max(0, m.width-ansi.StringWidthWc(line)))
}

func (m model) wrap(s string, width, most int) []string {
	if s == "" || width <= 0 || most <= 0 {
		return nil
	}
	return m.screenOf(width).Wrap(s, width, most)
}
