//go:build unix

package e2e_test

import (
	"slices"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// rawLines are the variants that differ in what the agent gets of a continue
// line and of its turn.
func rawLines() []variant {
	var list []variant
	for name, change := range map[string]func(*simcursor.Options){
		"new generations":      func(*simcursor.Options) {},
		"constant generation":  func(o *simcursor.Options) { o.ConstantGeneration = true },
		"quiet follow-ups":     func(o *simcursor.Options) { o.QuietFollowups = true },
		"agent sees its id":    func(o *simcursor.Options) { o.AgentSeesID = true },
		"words after the stop": func(o *simcursor.Options) { o.LateResponse = simcursor.AfterStop },
	} {
		list = append(list, option(name, change))
	}
	return append(list, with("user and project", func(v *variant) { v.installs = both() }))
}

// bare are those whose agent gets the line alone, without additional_context.
func bare() (list []variant) {
	for _, v := range rawLines() {
		v.PromptNoContext = true
		v.name += ", no added context"
		list = append(list, v)
	}
	return list
}

// pastes is types for a line that is not expanded: the agent gets it as it is.
func (c *chat) pastes(line string) {
	c.Helper()
	if c.turn != nil {
		c.Fatal("the agent is not idle")
	}
	go func() { c.idle <- c.Paste(c.ctx, line) }()
	c.next()
}

// declined types a continue line that is refused: the hook keeps it back and
// shows the user why, or the agent's call fails. It returns the reason.
func (c *chat) declined(line string) (why string) {
	c.Helper()
	c.types(line)
	if c.turn == nil {
		return c.shown()
	}
	why, exit := c.tries(c.handOver())
	if exit == 0 {
		c.Errorf("continue succeeded: %s", why)
	}
	c.rests()
	return why
}

func (c *chat) wantAdded(part string) {
	c.Helper()
	c.wantPart("message", c.turn.Message, "/ralph-loop --continue")
	c.wantPart("additional_context", c.added(), part)
}

// added returns what Cursor gave the agent beside the message. The second of two installations answers the same as the first,
// or nothing if it comes before the first has decided.
func (c *chat) added() string {
	c.Helper()
	added := c.turn.Added()
	if n := len(added); n == 0 || n > len(c.installs) || len(slices.Compact(slices.Clone(added))) != 1 {
		c.Fatalf("got %d texts of additional_context, want one, or the same of each installation: %q", n, added)
	}
	return added[0]
}

func TestARawLineContinuesByAddedContext(t *testing.T) {
	each(t, rawLines(), func(w *world) {
		c := exhausted(w, `"make it green"`)
		w.ok(w.repo(), "context", c.ID, "mind the gap")
		c.works()
		c.rests()
		for session := range 2 {
			c.pastes("/ralph-loop --continue " + c.ID)
			c.wantAdded("[Ralph loop " + []string{"7", "13"}[session] + "/20] The user continues")
			c.wantAdded(framed("make it green"))
			if session == 0 {
				c.wantAdded("- mind the gap\n")
			}
			l := w.wantStatus(c.ID, "running", []int{6, 12}[session])
			if l.SessionIterations != 0 {
				w.Errorf("got %d iterations in the new session, want 0", l.SessionIterations)
			}
			c.works()
			c.wantNoPart("continuation", c.goesOn(), "mind the gap")
			w.wantStatus(c.ID, "running", []int{7, 13}[session])
			c.plays(4)
			c.wantHandOver()
			c.works()
			c.rests()
		}
		c.pastes("/ralph-loop --continue " + c.ID)
		c.says(done)
		c.concludes()
		w.wantStatus(c.ID, "PROMISE_ACCEPTED", 19)
	})
}

// The turn of the raw line is no work of the loop, whatever the agent says.
func TestARawLineThatTheAgentGetsAloneContinuesByTheFollowUp(t *testing.T) {
	each(t, bare(), func(w *world) {
		c := exhausted(w, `"make it green"`)
		w.ok(w.repo(), "context", c.ID, "mind the gap")
		c.works()
		c.rests()
		for session := range 2 {
			c.pastes("/ralph-loop --continue " + c.ID)
			if added := c.turn.Added(); len(added) > 0 {
				w.Fatalf("the agent got %q", added)
			}
			c.says("I don't know that command.")
			iterations := []int{6, 11}[session]
			w.ok(w.repo(), "context", c.ID, "use tabs")
			text := c.goesOn()
			w.wantPart("follow-up", text, []string{"[Ralph loop 7/20]", "[Ralph loop 12/20]"}[session]+" The user continues")
			w.wantPart("follow-up", text, framed("make it green"))
			w.wantPart("follow-up", text, "- use tabs\n")
			w.wantNoPart("follow-up", text, "no completion promise")
			if session == 0 {
				w.wantPart("follow-up", text, "- mind the gap\n")
			}
			l := w.wantStatus(c.ID, "running", iterations)
			if l.SessionIterations != 1 || len(l.History) != iterations {
				w.Errorf("got %d turns in the session and %d in the history, want 1 and %d", l.SessionIterations, len(l.History), iterations)
			}
			c.plays(1)
			w.wantNoPart("continuation", c.turn.Message, "use tabs")
			w.wantStatus(c.ID, "running", iterations+1)
			c.plays(3)
			c.wantHandOver()
			c.works()
			c.rests()
		}
		w.ok(w.repo(), "cancel", c.ID)
	})
}

// Where Cursor expands the line, the agent's call gets what the hook has given.
func TestTheAgentsCallConfirmsTheLine(t *testing.T) {
	each(t, rawLines(), func(w *world) {
		c := exhausted(w, `"make it green"`)
		w.ok(w.repo(), "context", c.ID, "mind the gap")
		c.works()
		c.rests()
		c.types("/ralph-loop --continue " + c.ID)
		for range 2 {
			out := c.follows()
			w.wantPart("continue", out, "[Ralph loop 7/20]")
			w.wantPart("continue", out, "- mind the gap\n")
		}
		c.says("I begin.") // no work, but the agent knows
		w.wantPart("continuation", c.goesOn(), "no completion promise")
		w.wantStatus(c.ID, "running", 7)
		c.stops()
	})
}
