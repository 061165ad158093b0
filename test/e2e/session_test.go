//go:build unix

package e2e_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// plays lets n turns of a loop go by, each with work and words, and a follow-up
// after each.
func (c *chat) plays(n int) {
	c.Helper()
	for range n {
		c.works()
		c.says("A part is done.")
		c.goesOn()
	}
}

// exhausted is a loop in the turn that was handed over, Cursor's last of the
// session: five stops went by.
func exhausted(w *world, typed string) *chat {
	w.Helper()
	w.limited()
	c := w.chat()
	c.starts(typed)
	c.plays(5)
	return c
}

// line is the line that continues the chat's loop.
func (c *chat) line() string { return "/ralph-loop --continue " + c.shortID(c.ID) }

// wantHandOver checks that the agent was expected to have the user type the line.
func (c *chat) wantHandOver() {
	c.Helper()
	line := c.line()
	c.wantPart("hand-over", c.turn.Message, "\n"+line+"\n")
	c.wantNoPart("hand-over", c.turn.Message, "cursor://")
	c.wantPart("hand-over", c.turn.Message, "last turn that Cursor lets the loop chain")
}

func (c *chat) wantNoHandOver() {
	c.Helper()
	c.wantNoPart("continuation", c.turn.Message, c.line())
}

// sessions are the variants in which a session can go differently. In all of
// them a user message begins one in the same chat.
func sessions() []variant {
	names := []string{"expanded prompt", "quiet follow-ups", "words after the stop", "user and project", "everything odd"}
	return append([]variant{usual()}, without(everything(), func(v variant) bool { return !slices.Contains(names, v.name) })...)
}

func TestAtTheSessionLimitTheAgentHandsOver(t *testing.T) {
	each(t, sessions(), func(w *world) {
		w.limited()
		c := w.chat()
		c.starts(`"make it green"`)
		for range 4 {
			c.plays(1)
			c.wantNoHandOver()
		}
		c.plays(1)
		c.wantHandOver()
		c.wantTask("make it green")
		l := w.wantStatus(c.ID, "running", 5) // its last turn
		if l.SessionIterations != 5 {
			w.Errorf("got %d iterations in the session, want 5", l.SessionIterations)
		}
		w.wantPart("status", w.ok(w.repo(), "status", c.ID), c.line())
		c.works()
		c.says("Please type the line.")
		c.rests()
		w.wantStatus(c.ID, "running", 5) // the stop beyond the limit is as one that Cursor does not report

		c.types("/ralph-loop --continue " + c.ID)
		printed := c.follows()
		w.wantPart("continue", printed, "[Ralph loop 7/20]")
		w.wantPart("continue", printed, framed("make it green"))
		l = w.wantStatus(c.ID, "running", 6)
		if l.SessionIterations != 0 {
			w.Errorf("got %d iterations in the new session, want 0", l.SessionIterations)
		}
		c.plays(5)
		c.wantHandOver()
		l = w.wantStatus(c.ID, "running", 11)
		if l.ToolCalls != 11 {
			w.Errorf("got %d tool calls, want 11", l.ToolCalls)
		}
		c.stops()
	})
}

// The chats in which a loop goes on know it in three ways.
func TestALoopGoesOnInANewChat(t *testing.T) {
	each(t, sessions(), func(w *world) {
		c := exhausted(w, `"make it green"`)
		c.works()
		c.rests()
		next := w.chatIn(w.workspace("other"))
		next.types("/ralph-loop --continue " + c.ID)
		w.wantPart("continue", next.follows(), framed("make it green"))
		next.works()
		next.says("A part.")
		next.goesOn()
		next.wantTask("make it green")
		w.wantStatus(next.ID, "running", 7)
		if ids := w.listed(); len(ids) != 1 || ids[0] != next.ID {
			w.Errorf("got loops %q, want %q", ids, next.ID)
		}
		w.wantPart("status of the old chat", w.refused(w.repo(), "status", c.ID), "went on in another chat")

		c.types("hello")
		c.works()
		c.says("Hello. " + done)
		c.rests()
		next.works()
		next.says(done)
		next.concludes()
		if l := w.status(next.ID); l.Status != "PROMISE_ACCEPTED" {
			w.Errorf("got %s (%s), want PROMISE_ACCEPTED", l.Status, l.Reason)
		}
		w.wantNoLoops()
	})
}

func TestTheSessionLimitIsTheUsers(t *testing.T) {
	t.Parallel()
	three := usual()
	t.Run("three", func(t *testing.T) {
		each(t, []variant{three}, func(w *world) {
			w.settings("[hook]\nsession-limit = 3\n")
			c := w.chat()
			c.starts(`"make it green"`)
			c.plays(2)
			c.wantNoHandOver()
			c.plays(1)
			c.wantHandOver()
			c.rests()
			w.wantStatus(c.ID, "running", 3) // the stop beyond it is as one that Cursor does not report
		})
	})
	none := with("none", func(v *variant) { v.version = "2.4.1" })
	keeps := none
	keeps.name, keeps.KeepLoopCount = "none, loop count is kept", true
	t.Run("none", func(t *testing.T) {
		each(t, []variant{none, keeps}, func(w *world) {
			w.settings("[hook]\nsession-limit = \"none\"\n")
			c := w.chat()
			c.starts(`"make it green" --max-iterations 12`)
			for range 11 {
				c.plays(1)
				c.wantNoHandOver()
			}
			c.works()
			c.says("I'm done.")
			c.rests()
			w.wantStatus(c.ID, "MAX_ITERATIONS_REACHED", 12)
		})
	})
}

// Where loop_count goes on through user messages, there is no stop after the
// fifth in this chat. Every line that is typed after a minute of silence brings one turn, and the promise counts.
func TestWhereTheLoopCountIsKeptTheLineBringsOneTurn(t *testing.T) {
	v := option("loop count is kept", func(o *simcursor.Options) { o.KeepLoopCount = true })
	each(t, []variant{v}, func(w *world) {
		c := exhausted(w, `"make it green"`)
		for range 3 {
			c.works()
			c.says("Please type the line.")
			c.rests()
			c.forgotten(2 * time.Minute)
			c.types("/ralph-loop --continue " + c.ID)
			w.wantPart("continue", c.follows(), framed("make it green"))
		}
		c.works()
		c.says(done)
		c.rests()
		c.forgotten(2 * time.Minute)
		c.declined("/ralph-loop --continue " + c.ID)
		if l := w.status(c.ID); l.Status != "PROMISE_ACCEPTED" || l.ToolCalls != 9 {
			w.Errorf("got %s with %d tool calls, want PROMISE_ACCEPTED with 9", l.Status, l.ToolCalls)
		}
	})
}

func TestAUserMessageBeginsANewSession(t *testing.T) {
	each(t, sessions(), func(w *world) {
		w.limited()
		c := w.chat()
		c.starts(`"make it green"`)
		c.plays(3)
		c.works()
		c.typesAhead("Please use tabs.")
		if !c.ends() {
			w.Fatal("the message that was typed ahead did not arrive")
		}
		if c.turn.Message != "Please use tabs." {
			w.Fatalf("got %q, want what the user typed", c.turn.Message)
		}
		c.says("I use tabs.")
		for range 4 {
			c.goesOn()
			c.wantNoHandOver()
			c.works()
		}
		c.goesOn()
		c.wantHandOver()
		c.wantTask("make it green")
		c.stops()
	})
}
