//go:build unix

package e2e_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// controls are the variants of the commands typed into the chat.
func controls() []variant {
	return []variant{
		usual(),
		option("expanded prompt, agent sees its id", func(o *simcursor.Options) { o.ExpandCommands, o.AgentSeesID = true, true }),
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

func TestASecondLoopIsCancelledTooSoonAfterTheFirst(t *testing.T) {
	each(t, controls(), func(w *world) {
		c := w.chat()
		for range 2 {
			c.starts(`"make it green"`)
			c.typesAhead("/cancel-ralph")
			c.ends()
			if c.turn != nil {
				c.follows()
				c.rests()
			}
			w.wantNoLoops()
		}
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
		answer := c.commands("/ralph-resume")
		w.wantPart("answer", answer, "resumed")
		if c.turn != nil { // its turn is one of the loop again
			w.wantPart("answer", answer, "goes on at the next stop")
			c.goesOn()
			c.wantTask("make it green")
			c.stops()
			return
		}
		w.wantPart("answer", answer, "/ralph-loop --continue "+c.ID)
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
			w.wantPart("continue", c.follows(), "Added by the user:\n- "+text+"\n")
		} else {
			c.says("The agent gets it.")
			w.wantPart("continuation", c.goesOn(), "Added by the user:\n- "+text+"\n")
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
		w.wantPart("answer", answer, c.ID)
		if c.turn == nil {
			w.wantPart("answer", answer, "Loop • Waiting • Iter 6/20")
			return
		}
		w.wantPart("answer", answer, "6 of 20")
		c.stops()
	})
}

func TestHelpGoesToTheAgent(t *testing.T) {
	each(t, controls(), func(w *world) {
		c := w.chat()
		c.types("/ralph-help")
		w.wantPart("message", c.turn.Message, "`/ralph-loop \"<task>\" [options]`")
		w.wantPart("message", c.turn.Message, "`--max-iterations N`")
		c.says("Here is the help.")
		c.rests()
		if len(c.Shown()) > 0 {
			w.Errorf("the user was shown %q", c.Shown())
		}
		w.wantNoLoops()
	})
}

// Without a loop in the chat the command goes on to the agent, whose call says
// so; a loop of another chat is not touched.
func TestAControlInAChatWithoutALoopChangesNoOtherLoop(t *testing.T) {
	each(t, controls(), func(w *world) {
		c := running(w, `"make it green"`)
		other := w.chatIn(w.workspace("other"))
		for _, line := range []string{"/cancel-ralph", "/ralph-pause", "/ralph-context hello", "/ralph-status", "/ralph-resume"} {
			other.types(line)
			out, exit := other.tries(other.handOver())
			if says := strings.Contains(out, "No loop in ~/code/other, but elsewhere:"); says != (exit == 0) || says != (line == "/ralph-status") {
				w.Errorf("%s: got exit code %d: %s", line, exit, out)
			}
			other.rests()
		}
		w.wantStatus(c.ID, "running", 1)
		w.wantNoPart("continuation", c.goesOn(), "hello")
		c.stops()
	})
}

func TestASecondLoopIsRefusedWithAMessage(t *testing.T) {
	each(t, controls(), func(w *world) {
		c := waiting(w)
		c.types(`/ralph-loop "make it blue"`)
		switch {
		case !w.ExpandCommands:
			w.wantPart("shown", c.shown(), "A Ralph loop runs in this chat already (iteration 6 of 20). Add --replace")
			c.types("/ralph-loop --continue " + c.ID)
			c.follows()
			c.works()
			c.goesOn()
		case w.AgentSeesID:
			out, exit := c.tries(c.handOver())
			if exit != 1 {
				w.Errorf("got exit code %d, want 1", exit)
			}
			w.wantPart("slash", out, "a loop runs in this conversation already (iteration 6 of 20)")
			w.wantPart("slash", out, "--replace")
			c.goesOn()
		default:
			c.follows() // the program cannot know the chat: the hook refuses it
			w.wantPart("continuation", c.goesOn(), "A second loop was asked for in this conversation and was not started")
		}
		c.wantTask("make it green")
		if ids := w.listed(); len(ids) != 1 || ids[0] != c.ID {
			w.Errorf("got loops %q, want that of %s alone", ids, c.ID)
		}
		w.wantNoPart("next continuation", c.goesOn(), "second loop")
		c.stops()
		w.wantNoLoops()
	})
}

func TestReplaceBeginsAnotherLoopInTheChat(t *testing.T) {
	each(t, controls(), func(w *world) {
		c := waiting(w)
		c.starts(`"make it blue" --replace --max-iterations 3`)
		c.works()
		w.wantPart("continuation", c.goesOn(), "[Ralph loop 2/3]")
		c.wantTask("make it blue")
		if ids := w.listed(); len(ids) != 1 || ids[0] != c.ID {
			w.Errorf("got loops %q, want that of %s alone", ids, c.ID)
		}
		w.wantPart("list --all", w.ok(w.repo(), "list", "--all"), "REPLACED")
		c.works()
		c.says(done)
		c.concludes()
		l := w.status(c.ID)
		if l.Status != "PROMISE_ACCEPTED" || l.Prompt != "make it blue" || l.ToolCalls != 2 {
			w.Errorf("got %s of %q with %d tool calls, want PROMISE_ACCEPTED of the new task with 2", l.Status, l.Prompt, l.ToolCalls)
		}
		w.wantNoLoops()
	})
}

// The loop that is replaced may not have been claimed yet.
func TestReplaceOfALoopThatHasJustBegun(t *testing.T) {
	each(t, controls(), func(w *world) {
		c := w.chat()
		c.types(`/ralph-loop "make it green"`)
		c.typesAhead(`/ralph-loop "make it blue" --replace`)
		c.ends()
		if c.turn == nil {
			w.Fatal("the second command did not reach the agent")
		}
		c.follows()
		c.works()
		c.goesOn()
		c.wantTask("make it blue")
		c.stops()
		w.wantNoLoops()
	})
}

// A message that was typed while the turn ran may come in place of the
// follow-up. If the agent does not get it, the user must know how to go on, or
// the loop is stranded.
func TestAControlTypedWhileTheTurnRunsDoesNotStrandTheLoop(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"/ralph-status", "/ralph-context use tabs"} {
		t.Run(line, func(t *testing.T) {
			each(t, controls(), func(w *world) {
				c := running(w, `"make it green"`)
				c.works()
				c.typesAhead(line)
				if !c.ends() {
					w.wantPart("shown", c.shown(), "/ralph-loop --continue "+c.ID)
					return
				}
				c.tries(c.handOver()) // the hook may have done it already
				c.goesOn()
				c.wantTask("make it green")
				c.stops()
			})
		})
	}
}
