package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// line is one line of input, before and after the cursor. The bubbles have one, but
// they look for programs at the start of every command of cursor-ralph, and run tmux.
type line struct{ before, after string }

// mostWritten is how many bytes fit into the line. Longer text is for `cursor-ralph context`.
const mostWritten = 2000

func (l line) text() string { return l.before + l.after }

func (l line) isFull() bool { return len(l.text()) > mostWritten-utf8.UTFMax }

// insert puts text at the cursor. Ends of lines become spaces; what else a terminal
// could obey is left out.
func (l line) insert(s string) line {
	s = text.WithoutControls(strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\t", " ").Replace(s))
	l.before += text.Prefix(s, max(0, mostWritten-len(l.text())))
	return l
}

func (l line) press(k tea.KeyPressMsg) line {
	switch k.String() {
	case "backspace", "ctrl+h":
		return line{l.left().before, l.after}
	case "delete":
		return line{l.before, l.right().after}
	case "ctrl+w":
		words := strings.TrimRightFunc(l.before, unicode.IsSpace)
		return line{strings.TrimRightFunc(words, func(r rune) bool { return !unicode.IsSpace(r) }), l.after}
	case "ctrl+u":
		return line{"", l.after}
	case "left":
		return l.left()
	case "right":
		return l.right()
	case "home", "ctrl+a":
		return line{"", l.text()}
	case "end", "ctrl+e":
		return line{l.text(), ""}
	}
	return l.insert(k.Text)
}

func (l line) left() line {
	_, size := utf8.DecodeLastRuneInString(l.before)
	n := len(l.before) - size
	return line{l.before[:n], l.text()[n:]}
}

func (l line) right() line {
	_, size := utf8.DecodeRuneInString(l.after)
	n := len(l.before) + size
	return line{l.text()[:n], l.after[size:]}
}

// shown returns the part around the cursor that fits into width, and the cursor's column.
func (l line) shown(width int) (part string, column int) {
	before := safe(l.before)
	if over := ansi.StringWidthWc(before) - (width - 1); over > 0 {
		before = ansi.TruncateLeftWc(before, over, "")
	}
	return before + safe(l.after), ansi.StringWidthWc(before)
}
