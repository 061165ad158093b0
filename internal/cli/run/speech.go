package run

import (
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

const (
	longestLine = 4 << 10 // bytes; a longer line is shown before its end
	keptSaid    = 1 << 10 // bytes kept for the status line
)

// speech splits what the agent says into lines and keeps the last words for the
// status line.
type speech struct {
	line  string // incomplete
	blank int    // empty lines, which are shown only if something follows
	shown bool   // a part of the current message
	over  bool   // the next piece begins a message
	last  string // the last words
}

// add appends a piece of a message and returns the lines that it completes.
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

// think appends words that only the status line shows.
func (w *speech) think(piece string) {
	if w.over {
		w.last, w.over = "", false
	}
	w.last = text.Tail(w.last+piece, keptSaid)
}

// end completes a message and returns its lines that were not shown yet.
func (w *speech) end(message string) (lines []string) {
	if w.shown || strings.TrimSpace(w.line) != "" {
		lines = w.whole(w.line)
	} else if message != "" {
		lines = w.add(strings.TrimSpace(message) + "\n")
	}
	w.line, w.blank, w.shown, w.over = "", 0, false, true
	return lines
}

// whole returns a line and the empty lines before it.
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

// tail returns the last line with text.
func (w *speech) tail() string {
	text := strings.TrimSpace(w.last)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
