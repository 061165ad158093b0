package outer

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Message collects the pieces of one message of the assistant for a driver. It
// keeps the last MiB: the promise is at the end.
type Message struct{ text []byte }

// Add appends a piece.
func (m *Message) Add(piece string) {
	if m.text = append(m.text, piece...); len(m.text) > 2*keptText {
		m.text = bytes.Clone(text.Tail(m.text, keptText))
	}
}

// End returns the record of the message and begins the next one. The record is
// empty if there are no words in the message.
func (m *Message) End() loop.Record {
	words := strings.ToValidUTF8(string(text.Tail(m.text, keptText)), "")
	m.text = nil
	if strings.TrimSpace(words) == "" {
		return loop.Record{}
	}
	return loop.Record{Kind: loop.RecordText, Text: words}
}

// RunVariable is set in the environment of every agent that we drive, and of the
// hooks below it: they leave its chats alone. It is the id of the run.
const RunVariable = "CURSOR_RALPH_RUN"

// Environ returns an agent's environment with additional variables. If env is
// nil, the agent inherits ours.
func Environ(dir string, env, more []string) []string {
	if len(more) == 0 {
		return env
	}
	return slices.Concat((&exec.Cmd{Dir: dir, Env: env}).Environ(), more)
}
