//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
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
// where Cursor passes that on: once, and without the task.
func wantContract(c *chat) {
	c.Helper()
	added := c.turn.Added()
	if c.IgnoreContext {
		return
	}
	if len(added) != 1 {
		c.Fatalf("the agent got %q, want one contract", added)
	}
	for _, part := range []string{"[Ralph loop 1/20]", done, " note " + c.ID, " blocked " + c.ID} {
		c.wantPart("contract", added[0], part)
	}
	c.wantNoPart("contract", added[0], "green")
}

// The agent may be done in its first turn.
func TestAPromiseInTheFirstTurnOfLoopMode(t *testing.T) {
	each(t, modes(), func(w *world) {
		w.modeOn()
		c := w.chat()
		c.startsOne("make it green")
		c.works()
		c.isAccepted(done, 1)
		c.startsOne("now make it blue") // which is the next task
		c.stops()
	})
}

// A task that is given with /ralph-loop is a loop of its own, with its own
// options.
func TestALoopThatIsAskedForInLoopMode(t *testing.T) {
	each(t, modes(), func(w *world) {
		w.modeOn()
		c := w.chat()
		c.starts(`"make it green" --max-iterations 3`)
		c.works()
		w.wantPart("continuation", c.goesOn(), "[Ralph loop 2/3]")
		c.wantTask("make it green")
		if ids := w.listed("--all"); len(ids) != 1 {
			w.Errorf("got the loops %q, want one", ids)
		}
		c.stops()
	})
}

func TestTheMessageAfterACancelStartsNoLoop(t *testing.T) {
	t.Parallel()
	for name, cancel := range map[string]func(c *chat){"in the chat": (*chat).cancels, "in a terminal": (*chat).isCancelled} {
		t.Run(name, func(t *testing.T) {
			each(t, modes(), func(w *world) {
				w.modeOn()
				c := w.chat()
				c.startsOne("make it green")
				cancel(c)
				c.startsNone("make it green")
				c.startsOne("make it green")
				c.isCancelled() // which leaves an older record, too
				c.startsNone("make it green")
				other := w.chat() // of which that is not true
				other.startsOne("make it green")
				other.stops()
				c.startsOne("make it green")
				c.stops()
			})
		})
	}
}

func (c *chat) cancels() {
	c.Helper()
	c.stopsWaiting()
	c.commands("/cancel-ralph")
	if c.turn != nil {
		c.rests()
	}
}

func (c *chat) isCancelled() {
	c.Helper()
	c.ok(c.repo(), "cancel", c.ID)
	c.rests()
}

// stopsWaiting lets the agent of a loop become idle.
func (c *chat) stopsWaiting() {
	c.Helper()
	c.ok(c.repo(), "pause", c.ID)
	c.rests()
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
