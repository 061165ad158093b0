//go:build unix

package e2e_test

import (
	"strings"
	"testing"
)

// seven are the fields that people and agents write by hand.
const seven = `{"prompt": "make it green", "max_iterations": 20, "completion_promise": "COMPLETE",
 "iterations": 0, "session_iterations": 0, "stop": false, "last_output": ""}`

// byHand are the ways to put a file with the seven fields where a loop is
// claimed, for the agent's shell.
var byHand = []struct{ name, command string }{
	{"named by id, echo", `mkdir -p "$CURSOR_RALPH_DIR/cursor-ralph-pending" && echo 'FIELDS' >"$CURSOR_RALPH_DIR/cursor-ralph-pending/ID.json"`},
	{"named by time, echo", `mkdir -p "$CURSOR_RALPH_DIR/cursor-ralph-pending" && echo 'FIELDS' >"$CURSOR_RALPH_DIR/cursor-ralph-pending/$(date +%s%3N)-$$.json"`},
	{"named by time, cat", "mkdir -p \"$CURSOR_RALPH_DIR/cursor-ralph-pending\" && cat >\"$CURSOR_RALPH_DIR/cursor-ralph-pending/$(date +%s%3N)-$$.json\" <<'EOF'\nFIELDS\nEOF"},
	{"named by time on macOS", `mkdir -p "$CURSOR_RALPH_DIR/cursor-ralph-pending" && echo 'FIELDS' >"$CURSOR_RALPH_DIR/cursor-ralph-pending/$(date +%s)N-$$.json"`},
}

func TestAFileWrittenByHandIsClaimed(t *testing.T) {
	t.Parallel()
	for _, way := range byHand {
		t.Run(way.name, func(t *testing.T) {
			each(t, few(), func(w *world) {
				c := w.chat()
				c.types("Start a Ralph loop with the file.")
				c.runs(strings.NewReplacer("FIELDS", seven, "ID", c.ID).Replace(way.command))
				c.says("The loop is started.")
				text := c.goesOn()
				w.wantPart("continuation", text, "[Ralph loop 2/20]")
				c.wantTask("make it green")
				c.works()
				c.says(done)
				c.concludes()
				w.wantStatus(c.ID, "PROMISE_ACCEPTED", len(c.Messages()))
			})
		})
	}
}
