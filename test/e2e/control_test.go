//go:build unix

package e2e_test

import (
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// controls are the variants of the commands typed into the chat.
func controls() []variant {
	return []variant{
		usual(),
		option("stripped prompt", func(o *simcursor.Options) { o.ExpandCommands, o.StripComments = true, true }),
		option("stripped prompt, agent sees its id", func(o *simcursor.Options) { o.ExpandCommands, o.StripComments, o.AgentSeesID = true, true, true }),
		with("user and project", func(v *variant) { v.installs = both() }),
		with("user and project, expanded prompt", func(v *variant) { v.installs, v.ExpandCommands = both(), true }),
	}
}

// waiting is a loop whose agent is idle until the continue line is typed.
func waiting(w *world) *chat {
	w.Helper()
	c := exhausted(w, `"make it green"`)
	c.works()
	c.says("Please type the line.")
	c.rests()
	return c
}

// commands sends a control. Where Cursor shows the hook what was typed there is
// no turn of the agent, and the user is shown the answer; else the agent does
// what the Markdown says, and the answer is what it printed.
func (c *chat) commands(line string) (answer string) {
	c.Helper()
	before := len(c.Messages())
	c.types(line)
	if c.ExpandCommands {
		return c.follows()
	}
	if n := len(c.Messages()); n != before {
		c.Fatalf("%s: the agent was sent %q", line, c.Messages()[before:])
	}
	return c.shown()
}

func TestCancelTypedIntoTheChat(t *testing.T) {
	each(t, controls(), func(w *world) {
		c := waiting(w)
		w.wantPart("answer", c.commands("/cancel-ralph"), "cancelled")
		w.wantNoLoops()
		if c.turn != nil {
			c.says("It is cancelled.")
			c.rests()
		}
		if l := w.status(c.ID); l.Status != "CANCELLED" {
			w.Errorf("got %s, want CANCELLED", l.Status)
		}
		c.types("hello")
		c.rests()
	})
}

func TestPauseAndResumeTypedIntoTheChat(t *testing.T) {
	each(t, controls(), func(w *world) {
		c := waiting(w)
		w.wantPart("answer", c.commands("/ralph-pause"), "pause")
		if c.turn != nil {
			c.says("It is paused.")
			c.rests()
		}
		l := w.status(c.ID)
		if l.Status != "paused" || l.PauseReason != "user" {
			w.Errorf("got %s (%s), want paused by the user", l.Status, l.PauseReason)
		}
		c.types("hello")
		c.rests()
		c.types("/ralph-resume")
		if c.turn != nil { // no hook has seen it, and the pause is not the agent's to take back
			said, exit := c.tries(c.handOver())
			if exit != 1 {
				w.Errorf("got exit %d and %q, want a refusal", exit, said)
			}
			w.wantPart("answer", said, "only the user can continue this loop")
			c.rests()
			w.wantPart("resume", w.ok(w.repo(), "resume", c.ID), c.line())
		} else {
			w.wantPart("answer", c.shown(), c.line())
		}
		c.types("/ralph-loop --continue " + c.ID)
		c.follows()
		c.works()
		c.goesOn()
		c.stops()
	})
}

func TestContextTypedIntoTheChatIsDeliveredOnce(t *testing.T) {
	each(t, controls(), func(w *world) {
		const text = `the database is on port 5433, don't use "localhost" or $HOST`
		c := waiting(w)
		c.commands("/ralph-context " + text)
		if c.turn == nil {
			c.types("/ralph-loop --continue " + c.ID)
			w.wantPart("continue", c.follows(), "Added while you worked:\n- "+text+"\n")
		} else {
			c.says("The agent gets it.")
			w.wantPart("continuation", c.goesOn(), "Added while you worked:\n- "+text+"\n")
		}
		c.works()
		w.wantNoPart("next continuation", c.goesOn(), "5433")
		c.stops()
	})
}

func TestStatusTypedIntoTheChat(t *testing.T) {
	each(t, controls(), func(w *world) {
		c := waiting(w)
		answer := c.commands("/ralph-status")
		w.wantPart("answer", answer, w.shortID(c.ID))
		if c.turn == nil {
			w.wantPart("answer", answer, "Loop • Running • Iter 6/20")
			return
		}
		w.wantPart("answer", answer, "6 of 20")
		c.stops()
	})
}
