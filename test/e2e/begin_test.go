//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// lineOf starts a loop in a terminal and returns the line that begins it in a chat.
func lineOf(w *world, dir string, args ...string) string {
	w.Helper()
	line, _, _ := strings.Cut(w.ok(dir, append([]string{"start"}, args...)...), "\n")
	w.wantPart("start", line, "/ralph-loop --continue ")
	return line
}

// The line begins the loop where it is sent, expanded to a slash command or not: the
// turn of the line is iteration 1.
func TestTheLineOfStartBeginsTheLoop(t *testing.T) {
	each(t, few(), func(w *world) {
		other, c := w.chat(), w.chat()
		other.types("hello")
		line := lineOf(w, w.repo(), "make it green", "--max-iterations", "3", "--verify", "true")
		c.types(line)
		text := c.follows()
		w.wantPart("the task", text, "[Ralph loop 1/3] This task is a Ralph loop")
		w.wantPart("the task", text, framed("make it green"))
		w.wantPart("the task", text, "succeeds in the workspace: true")
		other.rests()
		c.works()
		w.wantPart("continuation", c.goesOn(), "[Ralph loop 2/3]")
		c.works()
		c.says(done)
		c.concludes()
		if l := w.status(c.ID); l.Status != "PROMISE_ACCEPTED" || l.Iterations != 2 && c.LateResponse == simcursor.InOrder {
			w.Errorf("got %s after %d iterations, want the promise accepted after 2", l.Status, l.Iterations)
		}
	})
}

// An agent that gets the line alone has done nothing for the loop: its stop brings the
// task.
func TestARawLineOfStartAloneBringsTheTaskAfterIt(t *testing.T) {
	each(t, bare(), func(w *world) {
		c := w.chat()
		c.pastes(lineOf(w, w.repo(), "make it green", "--max-iterations", "3"))
		c.says("I don't know that command.")
		w.wantPart("continuation", c.goesOn(), "[Ralph loop 1/3]")
		c.wantTask("make it green")
		w.wantStatus(c.ID, "running", 0)
		c.stops()
		w.wantNoLoops()
	})
}
