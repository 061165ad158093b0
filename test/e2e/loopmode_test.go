//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// modes are the variants of loop mode: they differ in what the hook sees
// a message, and in who hears its answer.
func modes() []variant {
	return []variant{
		usual(),
		option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }),
		option("no added context", func(o *simcursor.Options) { o.IgnoreContext = true }),
		option("quiet follow-ups", func(o *simcursor.Options) { o.QuietFollowups = true }),
		with("not on the PATH", func(v *variant) { v.hidden = true }),
		with("user and project, expanded prompt", func(v *variant) { v.installs, v.ExpandCommands = both(), true }),
	}
}

func (w *world) modeOn(args ...string) {
	w.Helper()
	out := w.ok(w.repo(), append([]string{"loop-mode", "on"}, args...)...)
	w.wantPart("loop-mode on", out, "Loop mode is on in "+w.repo()+" until ")
	w.wantNoPart("loop-mode on", out, "not told of messages")
}

// startsNone sends a message of which no loop is made.
func (c *chat) startsNone(text string) {
	c.Helper()
	c.types(text)
	if added := c.turn.Added(); len(added) > 0 {
		c.Errorf("%s: the agent got %q", text, added)
	}
	c.works()
	c.rests()
	c.wantNoLoops()
}

// startsOne sends a message that becomes a loop, and stays in its first turn.
func (c *chat) startsOne(text string) {
	c.Helper()
	c.types(text)
	if ids := c.listed(); len(ids) != 1 || ids[0] != c.ID {
		c.Fatalf("%s: got the loops %q, want one of %s", text, ids, c.ID)
	}
	if l := c.status(c.ID); l.Prompt != text || l.Status != "running" || l.Workspace != c.repo() {
		c.Errorf("got %q in %s, %s; want %q running in %s", l.Prompt, l.Workspace, l.Status, text, c.repo())
	}
}

func TestAMessageInLoopModeIsALoop(t *testing.T) {
	each(t, modes(), func(w *world) {
		const task = "make it \"green\",\n  don't stop\n"
		w.modeOn()
		c := w.chat()
		c.startsOne(task)
		wantContract(c)
		c.works()
		text := c.goesOn()
		w.wantPart("continuation", text, "[Ralph loop 2/20]")
		w.wantPart("continuation", text, " loop-mode off`")
		c.wantTask(task)
		c.notes("half of it is green")
		w.wantNoPart("next continuation", c.goesOn(), "loop-mode off")
		c.says(done)
		c.concludes()
		w.wantStatus(c.ID, "PROMISE_ACCEPTED", 3)
	})
}

// wantContract checks that the agent knows how a loop ends before it begins,
// where Cursor passes that on, without the task.
func wantContract(c *chat) {
	c.Helper()
	if c.IgnoreContext {
		return
	}
	contract := c.added()
	for _, part := range []string{"[Ralph loop 1/20]", done, " note " + c.shortID(c.ID), " blocked " + c.shortID(c.ID)} {
		c.wantPart("contract", contract, part)
	}
	c.wantNoPart("contract", contract, "green")
}

func TestAMessageToALoopIsNoOtherLoop(t *testing.T) {
	each(t, modes(), func(w *world) {
		w.modeOn()
		c := w.chat()
		c.startsOne("make it green")
		c.works()
		c.typesAhead("and mind the edges")
		c.ends()
		if got := c.turn.Message; got != "and mind the edges" {
			w.Errorf("got %q, want the user's message", got)
		}
		w.wantPart("continuation", c.goesOn(), "[Ralph loop 3/20]")
		c.wantTask("make it green")
		if ids := w.listed("--all"); len(ids) != 1 {
			w.Errorf("got the loops %q, want one", ids)
		}
		c.stops()
	})
}

// The last follow-up of a loop may cross with the end of it, and reaches the
// agent as a message of the user does.
func TestAFollowUpThatCrossesWithTheCancelIsNoTask(t *testing.T) {
	each(t, []variant{usual(), with("user and project", func(v *variant) { v.installs = both() })}, func(w *world) {
		w.modeOn()
		c := w.chat()
		c.startsOne("make it green")
		followup := c.goesOn()
		w.ok(w.repo(), "cancel", c.ID)
		c.rests()
		c.startsNone(strings.TrimSpace(followup))
		c.startsNone("never mind")
		c.startsOne("make it blue")
		c.stops()
	})
}
