package run

import (
	"cmp"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

const (
	longestLine  = 4 << 10 // bytes; a longer line is shown before its end
	keptThoughts = 1 << 10 // bytes
)

type speech struct {
	line    string // incomplete
	blank   int    // empty lines, which are shown only if something follows
	shown   bool   // a part of the current message
	thought string // the last words that it thought since it said something
}

func (w *speech) add(piece string) (lines []string) {
	w.thought = ""
	for w.line += piece; ; {
		n := strings.IndexByte(w.line, '\n')
		if n < 0 && len(w.line) <= longestLine {
			return lines
		}
		end, next := n, n+1
		if n < 0 || n > longestLine {
			end = cmp.Or(len(text.Prefix(w.line, longestLine)), longestLine) // what is no UTF-8 has no better place
			next = end
		}
		lines = append(lines, w.whole(w.line[:end])...)
		w.line = w.line[next:]
	}
}

// think appends words that are shown only until others come.
func (w *speech) think(piece string) { w.thought = text.Tail(w.thought+piece, keptThoughts) }

func (w *speech) end(message string) (lines []string) {
	if w.shown || strings.TrimSpace(w.line) != "" {
		lines = w.whole(w.line)
	} else if message != "" {
		lines = w.add(strings.TrimSpace(message) + "\n")
	}
	*w = speech{}
	return lines
}

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

func (w *speech) unfinished() string {
	if strings.TrimSpace(w.line) != "" {
		return "  " + w.line
	}
	thought := strings.TrimSpace(w.thought)
	return thought[strings.LastIndexByte(thought, '\n')+1:]
}
