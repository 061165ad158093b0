package tui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// editor is a text that is being written. The bubbles have one, but they look for
// programs at the start of every command of cursor-ralph, and run tmux.
type editor struct {
	text []rune
	at   int // the cursor stands before this one
}

// mostWritten is how many characters a context has at most.
const mostWritten = 10_000

func (e editor) empty() bool { return strings.TrimSpace(string(e.text)) == "" }

// insert puts text at the cursor. Its ends of lines are ours; what else a terminal
// could obey is left out.
func (e editor) insert(s string) editor {
	runes := []rune(text.WithoutControls(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)))
	runes = runes[:max(0, min(len(runes), mostWritten-len(e.text)))]
	e.text = slices.Insert(slices.Clone(e.text), e.at, runes...)
	e.at += len(runes)
	return e
}

// press handles a key.
func (e editor) press(k tea.KeyPressMsg) editor {
	switch k.String() {
	case "enter", "ctrl+j", "alt+enter", "shift+enter":
		return e.insert("\n")
	case "tab":
		return e.insert("\t")
	case "backspace", "ctrl+h":
		return e.erase(e.at - 1)
	case "delete":
		return e.erase(e.at + 1)
	case "ctrl+w":
		return e.erase(e.wordBefore())
	case "ctrl+u":
		return e.erase(e.lineBegin())
	case "ctrl+k":
		return e.erase(e.lineEnd())
	}
	if k.Text != "" {
		return e.insert(k.Text)
	}
	e.at = max(0, min(e.target(k.String()), len(e.text)))
	return e
}

// target is where a key moves the cursor.
func (e editor) target(key string) int {
	switch key {
	case "left", "ctrl+b":
		return e.at - 1
	case "right", "ctrl+f":
		return e.at + 1
	case "home", "ctrl+a":
		return e.lineBegin()
	case "end", "ctrl+e":
		return e.lineEnd()
	case "up", "ctrl+p":
		return e.above()
	case "down", "ctrl+n":
		return e.below()
	}
	return e.at
}

// erase takes out what is between the cursor and there.
func (e editor) erase(to int) editor {
	from := e.at
	to = max(0, min(to, len(e.text)))
	from, to = min(from, to), max(from, to)
	e.text, e.at = slices.Delete(slices.Clone(e.text), from, to), from
	return e
}

func (e editor) wordBefore() int {
	n := e.at
	for n > 0 && unicode.IsSpace(e.text[n-1]) {
		n--
	}
	for n > 0 && !unicode.IsSpace(e.text[n-1]) {
		n--
	}
	return n
}

func (e editor) lineBegin() int {
	n := e.at
	for n > 0 && e.text[n-1] != '\n' {
		n--
	}
	return n
}

func (e editor) lineEnd() int {
	n := e.at
	for n < len(e.text) && e.text[n] != '\n' {
		n++
	}
	return n
}

// above is the same column of the line before, or where that ends.
func (e editor) above() int {
	begin := e.lineBegin()
	if begin == 0 {
		return 0
	}
	before := editor{e.text, begin - 1}
	return min(before.lineBegin()+e.at-begin, begin-1)
}

func (e editor) below() int {
	end := e.lineEnd()
	if end == len(e.text) {
		return end
	}
	after := editor{e.text, end + 1}
	return min(end+1+e.at-e.lineBegin(), after.lineEnd())
}

// lines shows as many lines as there is room for, those around the cursor, and
// where among them the cursor is.
func (e editor) lines(safe func(string) string, width, room int) (lines []string, x, y int) {
	wrapped := func(runes []rune) []string {
		return strings.Split(ansi.HardwrapWc(safe(string(runes)), width, true), "\n")
	}
	lines, before := wrapped(e.text), wrapped(e.text[:e.at])
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
