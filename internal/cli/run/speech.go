package run

import (
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

const (
	longestLine = 4 << 10 // bytes that wait for the end of their line
	keptSaid    = 1 << 10 // bytes of the last words, for the status line
)

// speech is what the agent says, as it arrives: its lines are shown once they
// are whole, and the status line has its last words.
type speech struct {
	line  string // has no end yet
	blank int    // empty lines that are shown only if something follows
	shown bool   // of the message that goes on
	over  bool   // the next words begin another message
	last  string // how they end
}

// add takes a piece of a message, and returns the lines that are whole with it.
func (w *speech) add(piece string) (lines []string) {
	w.think(piece)
	for w.line += piece; ; {
		n := strings.IndexByte(w.line, '\n')
		if n < 0 && len(w.line) <= longestLine {
			return lines
		}
		end, next := n, n+1
		if n < 0 || n > longestLine {
			end = len(text.Prefix(w.line, longestLine))
			next = end
		}
		lines = append(lines, w.whole(w.line[:end])...)
		w.line = w.line[next:]
	}
}

// think takes words that are no message: they are in the status line alone.
func (w *speech) think(piece string) {
	if w.over {
		w.last, w.over = "", false
	}
	w.last = text.Tail(w.last+piece, keptSaid)
}

// end takes a whole message, and returns the lines of it that were not shown.
func (w *speech) end(message string) (lines []string) {
	if w.shown || strings.TrimSpace(w.line) != "" {
		lines = w.whole(w.line)
	} else if message != "" {
		lines = w.add(strings.TrimSpace(message) + "\n")
	}
	w.line, w.blank, w.shown, w.over = "", 0, false, true
	return lines
}

// whole returns a line with the empty ones that were before it.
func (w *speech) whole(line string) (lines []string) {
	line = strings.TrimRight(line, " \t\r")
	if line == "" {
		if w.shown {
			w.blank++
		}
		return nil
	}
	for ; w.blank > 0; w.blank-- {
		lines = append(lines, "")
	}
	w.shown = true
	return append(lines, "  "+line)
}

// tail is the last line that says something.
func (w *speech) tail() string {
	text := strings.TrimSpace(w.last)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
