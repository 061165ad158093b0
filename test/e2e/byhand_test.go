//go:build unix

package e2e_test

import (
	"path/filepath"
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
	{"legacy", `echo 'FIELDS' >"$CURSOR_RALPH_DIR/cursor-ralph-pending.json"`},
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

// byHandLoop is a loop that runs from a file of seven fields, in its second
// turn, after some work.
func byHandLoop(w *world) *chat {
	w.Helper()
	c := w.chat()
	w.write(filepath.Join(w.pending(), c.ID+".json"), seven)
	c.types("hello")
	c.works()
	c.goesOn()
	return c
}

// The file does not say where it belongs, but the chat that claimed it does.
func TestALoopByHandIsFoundInItsWorkspace(t *testing.T) {
	each(t, few(), func(w *world) {
		c := byHandLoop(w)
		w.wantPart("status", w.ok(w.repo(), "status"), c.ID)
		c.notes("so far")
		if l := w.status(c.ID); l.LastOutput != "so far" || l.Workspace != w.repo() {
			w.Errorf("got the progress %q in the workspace %q", l.LastOutput, l.Workspace)
		}
		c.stops()
	})
}
