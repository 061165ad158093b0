package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// editor is a text that is being written, before and after the cursor. The bubbles
// have one, but they look for programs at the start of every command of cursor-ralph,
// and run tmux.
type editor struct{ before, after string }

const mostWritten = 10_000

func (e editor) text() string { return e.before + e.after }

// insert puts text at the cursor. Its ends of lines are ours; what else a terminal
// could obey is left out.
func (e editor) insert(s string) editor {
	s = text.WithoutControls(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s))
	e.before += text.Prefix(s, max(0, mostWritten-len(e.text())))
	return e
}

func (e editor) press(k tea.KeyPressMsg) editor {
	switch k.String() {
	case "tab":
		return e.insert("\t")
	case "backspace", "ctrl+h":
		e.before = e.left().before
	case "delete":
		e.after = e.right().after
	case "ctrl+w":
		words := strings.TrimRightFunc(e.before, unicode.IsSpace)
		e.before = strings.TrimRightFunc(words, func(r rune) bool { return !unicode.IsSpace(r) })
	case "ctrl+u":
		e.before = e.home().before
	case "ctrl+k":
		e.after = e.end().after
	case "left":
		return e.left()
	case "right":
		return e.right()
	case "home", "ctrl+a":
		return e.home()
	case "end", "ctrl+e":
		return e.end()
	case "up":
		return e.vertical(editor.home, editor.left)
	case "down":
		return e.vertical(editor.end, editor.right)
	default:
		return e.insert(k.Text)
	}
	return e
}

func (e editor) at(n int) editor { return editor{e.text()[:n], e.text()[n:]} }

func (e editor) left() editor {
	_, size := utf8.DecodeLastRuneInString(e.before)
	return e.at(len(e.before) - size)
}

func (e editor) right() editor {
	_, size := utf8.DecodeRuneInString(e.after)
	return e.at(len(e.before) + size)
}

func (e editor) home() editor { return e.at(strings.LastIndex(e.before, "\n") + 1) }

func (e editor) end() editor {
	line, _, _ := strings.Cut(e.after, "\n")
	return e.at(len(e.before) + len(line))
}

// vertical moves to the line before or after, into the same column or where that line ends.
func (e editor) vertical(edge, over func(editor) editor) editor {
	column := utf8.RuneCountInString(e.before[len(e.home().before):])
	beyond := over(edge(e))
	if beyond == edge(e) {
		return beyond // the first line or the last one
	}
	to := beyond.home()
	for range column {
		if next := to.right(); len(next.before) <= len(beyond.end().before) {
			to = next
		}
	}
	return to
}

// lines shows as many lines as there is room for, those around the cursor, and
// where among them the cursor is.
func (e editor) lines(width, room int) (lines []string, x, y int) {
	wrapped := func(s string) []string {
		return strings.Split(ansi.HardwrapWc(safe(s), width, true), "\n")
	}
	lines, before := wrapped(e.text()), wrapped(e.before)
	y = len(before) - 1
	if x = ansi.StringWidthWc(before[y]); x >= width {
		x, y = 0, y+1
	}
	for len(lines) <= y {
		lines = append(lines, "")
	}
	top := max(0, y-room+1)
	return lines[top:min(len(lines), top+room)], x, y - top
}
