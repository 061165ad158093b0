//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// What happened in a loop shows in every command.
func TestWhatHappenedIsTold(t *testing.T) {
	once(t, func(w *world) {
		c := w.chat()
		c.starts(`"make it green" --min-iterations 2`)
		c.works()
		c.tries("echo compiling; echo 'main.go:3: no such thing'; exit 3")
		c.does(func(t *simcursor.Turn) { _ = t.FailTool("Fetch", nil, "no route to host\ntrace") })
		w.ok(w.repo(), "context", c.ID, "the database is on port 5433")
		c.says("All is green. " + done)
		c.goesOn()
		c.works()
		c.isAccepted("Now it is. "+done, 2)

		for what, parts := range map[string][]string{
			"history": {
				"Fetch 1, Shell 1, Write 1  1      2", "refused   followup", "   refused: this is iteration 1 and the loop runs for at least 2\n",
				"   context: the database is on port 5433\n", "accepted  ended", "PROMISE_ACCEPTED: promise accepted",
			},
			"report": {
				"**`PROMISE_ACCEPTED`** after 2 of at most 20 iterations", "with 4 tool calls, tokens unknown.", "```text\nmake it green\n```",
				"- `work-1.txt` (iteration 1)\n- `work-2.txt` (iteration 2)\n", "## Failed commands\n\n- `echo compiling;", "main.go:3: no such thing",
				"## Errors\n\n- `no route to host` (iteration 1)\n", "## Refused promises\n\n- `this is iteration 1 and the loop runs for at least 2` (iteration 1)\n",
				"## Added context\n\n- `the database is on port 5433` (iteration 1)\n", "Now it is. ",
			},
			"log --explain": {
				"the loop that was asked for begins in this chat",
				"iteration 1: promise found, refused because this is iteration 1 and the loop runs for at least 2; continued\n",
				"iteration 2: promise found and accepted; the loop has ended\n",
			},
		} {
			out := w.ok(w.repo(), append(strings.Fields(what), c.ID)...)
			for _, part := range parts {
				w.wantPart(what, out, part)
			}
			w.wantNoPart(what, out, "does not know")
			w.wantNoPart(what, out, done) // an agent may repeat it
		}
		w.wantPart("history --verbose", w.ok(w.repo(), "history", "--verbose"), "   error: no route to host\n")
	})
}
