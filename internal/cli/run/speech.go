package run

import (
	"io"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
)

// speech prints what the agent says as it arrives, indented, and everything else in lines
// of its own.
type speech struct {
	out  io.Writer
	open bool // the last line is not ended
	said bool // something of the current message
}

// say prints a piece of a message.
func (w *speech) say(piece string) {
	for part := range strings.SplitAfterSeq(piece, "\n") {
		words, ends := strings.CutSuffix(part, "\n")
		if words = strings.TrimRight(words, "\r"); words != "" && (w.open || w.said || strings.TrimSpace(words) != "") {
			if !w.open {
				w.put("  ")
			}
			w.put(cli.Printable(words))
			w.open, w.said = true, true
		}
		if ends && w.said {
			w.put("\n")
			w.open = false
		}
	}
}

// end ends a message, and prints it if none of its pieces was.
func (w *speech) end(message string) {
	if !w.said {
		w.say(strings.TrimSpace(message))
	}
	w.endLine()
	w.said = false
}

// line prints other words in lines of their own.
func (w *speech) line(words string) {
	w.endLine()
	w.put(cli.Printable(words) + "\n")
}

// prompt prints a question and stays on its line.
func (w *speech) prompt(words string) {
	w.endLine()
	w.put(words)
	w.open = true
}

func (w *speech) endLine() {
	if w.open {
		w.put("\n")
	}
	w.open = false
}

// put ignores errors: the run goes on if our output is closed.
func (w *speech) put(text string) { _, _ = io.WriteString(w.out, text) }
