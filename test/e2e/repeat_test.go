//go:build unix

package e2e_test

import (
	"strings"
	"testing"
)

// An agent that repeats what it was given or shown has promised nothing, and one
// that then gives its promise has.
func TestAnAgentThatRepeatsWhatItWasShown(t *testing.T) {
	each(t, few(), func(w *world) {
		const task = "make it green. Then output " + done + " and nothing else"
		c := w.chat()
		shown := c.starts(`"` + task + `"`)
		c.works()
		quote := "> " + strings.ReplaceAll(strings.TrimSpace(shown), "\n", "\n> ")
		w.refusesPromise(c, "I got this:\n\n"+quote+"\n\nSo I begin.")
		for _, command := range []string{"status", "status --json", "list", "history --verbose", "history --json", "report", "log", "log --explain"} {
			out := c.runs("cursor-ralph " + command + " " + strings.TrimSpace(map[bool]string{true: "", false: c.ID}[command == "list"]))
			w.wantNoPart(command, out, done)
			w.refusesPromise(c, "Here it is: "+out)
		}
		w.refusesPromise(c, "Last I got this:\n```\n"+c.turn.Message+"\n```")
		c.says(done)
		c.concludes()
	})
}

func (w *world) refusesPromise(c *chat, said string) {
	w.Helper()
	c.works()
	c.says(said)
	w.wantPart("continuation", c.goesOn(), notGiven)
}
