//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// A chat cannot continue a loop of cursor-ralph run, whatever its status; the
// answer names what can.
func TestTheContinueLineOfARun(t *testing.T) {
	for _, status := range []loop.Status{loop.Running, loop.Waiting, loop.Paused, loop.MaxIterations} {
		t.Run(string(status), func(t *testing.T) {
			w := newWorld(t)
			path := w.places.Live("run-1")
			if status.Ended() {
				path = w.record("run-1")
			}
			w.write(path, with("the task", fields{"id": "k7f2m", "conversation_id": "run-1", "status": status, "iterations": 1,
				"started_at": "2026-01-01T00:00:00Z", "last_event_at": "2026-01-01T00:00:00Z", "run": fields{"agent": "a", "driver": "print"}}))
			answer := w.hook(w.sends(me, loop.ContinueLine("run-1")))
			said, _ := answer["user_message"].(string)
			if answer["continue"] != false || !strings.Contains(said, "cursor-ralph run --resume k7f2m") {
				t.Errorf("got %v, want it refused with the command that works", answer)
			}
			if strings.Contains(said, loop.ContinueLine("run-1")) {
				t.Errorf("got %q, want no advice to send the same line again", said)
			}
		})
	}
}
