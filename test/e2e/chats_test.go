//go:build unix

package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// orders returns every order in which the steps of two chats can come: a for a
// step of the first one.
func orders(a, b int) []string {
	if a == 0 || b == 0 {
		return []string{strings.Repeat("a", a) + strings.Repeat("b", b)}
	}
	var all []string
	for _, rest := range orders(a-1, b) {
		all = append(all, "a"+rest)
	}
	for _, rest := range orders(a, b-1) {
		all = append(all, "b"+rest)
	}
	return all
}

// inOrder plays the steps of two chats in one order.
func inOrder(order string, a, b []func()) {
	for _, who := range order {
		steps := &a
		if who == 'b' {
			steps = &b
		}
		(*steps)[0]()
		*steps = (*steps)[1:]
	}
}

// sub plays a part of a test under a name, on the same machine.
func (w *world) sub(name string, play func(*world)) {
	w.Run(name, func(t *testing.T) {
		part := *w
		part.T = t
		play(&part)
	})
}

// endings of the turn of the chat whom the loop does not concern.
var endings = []struct {
	name string
	end  func(*chat)
}{
	{"completes", func(c *chat) { c.says("Hello."); c.rests() }},
	{"is stopped", func(c *chat) { c.stops() }},
	{"fails", func(c *chat) { c.fails() }},
}

// bindings are the ways in which a loop gets to its chat, and what may come
// between.
func bindings() []variant {
	return []variant{
		usual(),
		option("expanded prompt, plain output", func(o *simcursor.Options) { o.ExpandCommands, o.PlainToolOutput = true, true }),
		option("expanded prompt, agent sees its id", func(o *simcursor.Options) { o.ExpandCommands, o.AgentSeesID = true, true }),
		with("user and project, expanded prompt", func(v *variant) { v.installs, v.ExpandCommands = both(), true }),
	}
}

// neighbours opens two chats, in one workspace or in two.
func neighbours(w *world, together bool) (a, b *chat) {
	w.Helper()
	a = w.chat()
	if together {
		return a, w.chat()
	}
	return a, w.chatIn(w.workspace("other"))
}

func TestALoopGoesToTheChatThatAskedForIt(t *testing.T) {
	t.Parallel()
	for i, together := range []bool{false, true} {
		t.Run(fmt.Sprintf("together %v", together), func(t *testing.T) {
			each(t, bindings(), func(w *world) {
				for j, order := range short.First(orders(3, 2), 4) {
					if (i+j+len(w.name))%2 == 1 { // every order with every binding, here or there
						continue
					}
					ending := endings[j%len(endings)]
					w.sub(order+", the other one "+ending.name, func(w *world) { oneLoop(w, together, order, ending.end) })
				}
			})
		})
	}
}

// oneLoop is a loop that chat a asks for, while b has a turn of its own.
func oneLoop(w *world, together bool, order string, end func(*chat)) {
	a, b := neighbours(w, together)
	inOrder(order, []func(){
		func() { a.types(`/ralph-loop "make it green"`) },
		func() { a.follows() },
		func() { a.works(); a.says("A part."); a.goesOn() },
	}, []func(){
		func() { b.types("hello") },
		func() { end(b) },
	})
	a.wantTask("make it green")
	a.works()
	a.says("All. " + done)
	a.concludes()
	if l := w.status(a.ID); l.Status != "PROMISE_ACCEPTED" || l.ToolCalls != 2 {
		w.Errorf("got %s with %d tool calls (%s), want PROMISE_ACCEPTED with 2", l.Status, l.ToolCalls, l.Reason)
	}
	b.types("hello again")
	b.says("Hello.")
	b.rests()
	w.wantNoLoops()
}

func TestTwoChatsGetTheirOwnLoops(t *testing.T) {
	t.Parallel()
	for i, together := range []bool{false, true} {
		t.Run(fmt.Sprintf("together %v", together), func(t *testing.T) {
			each(t, bindings(), func(w *world) {
				for j, order := range short.First(orders(3, 3), 8) {
					switch (i + j + len(w.name)) % 7 { // every order, each with some of the bindings
					case 0:
						w.sub(order+", two tasks", func(w *world) { twoLoops(w, together, order, "make it green", "make it blue") })
					case 3:
						w.sub(order+", one task", func(w *world) { twoLoops(w, together, order, "make it green", "make it green") })
					}
				}
			})
		})
	}
}

func twoLoops(w *world, together bool, order string, tasks ...string) {
	a, b := neighbours(w, together)
	steps := func(c *chat, task string) []func() {
		return []func(){
			func() { c.types(`/ralph-loop "` + task + `"`) },
			func() { c.follows() },
			func() { c.works(); c.says("A part."); c.goesOn() },
		}
	}
	inOrder(order, steps(a, tasks[0]), steps(b, tasks[1]))
	for i, c := range []*chat{a, b} {
		c.wantTask(tasks[i])
		c.works()
		c.says(done)
		c.concludes()
		if l := w.status(c.ID); l.Status != "PROMISE_ACCEPTED" || l.ToolCalls != 2 {
			w.Errorf("chat %d: got %s with %d tool calls (%s), want PROMISE_ACCEPTED with 2", i, l.Status, l.ToolCalls, l.Reason)
		}
	}
	w.wantNoLoops()
}

// The agent's call has written the file, and the event that binds it has not
// come yet, when another chat of the workspace stops.
func TestAFileThatWaitsForItsBindingIsNotTakenByAnotherChat(t *testing.T) {
	t.Parallel()
	for _, ending := range endings {
		t.Run(ending.name, func(t *testing.T) {
			expanded := func(v variant) bool { return !v.ExpandCommands }
			each(t, without(bindings(), expanded), func(w *world) {
				a, b := w.chat(), w.chat()
				b.types("hello")
				a.types(`/ralph-loop "make it green"`)
				command := a.handOver() + "\ntouch begun; while [ ! -e go ]; do sleep 0.01; done"
				a.begin(func(t *simcursor.Turn) { t.Shell(command) })
				w.waitFor(filepath.Join(w.repo(), "begun"))
				ending.end(b)
				w.write(filepath.Join(w.repo(), "go"), "")
				a.finish()
				a.works()
				a.goesOn()
				a.wantTask("make it green")
				a.stops()
			})
		})
	}
}

func TestAFileByHandGoesToTheChatOfItsWorkspace(t *testing.T) {
	each(t, few(), func(w *world) {
		for i, order := range short.First(orders(3, 2), 3) {
			ending := endings[(i+len(w.name))%len(endings)]
			w.sub(order+", the other one "+ending.name, func(w *world) { oneFile(w, order, ending.end) })
		}
	})
}

// oneFile is a file with a workspace that the agent of chat a writes.
func oneFile(w *world, order string, end func(*chat)) {
	a, b := neighbours(w, false)
	fields := strings.Replace(seven, "{", `{"workspace": `+encode(w.repo())+`, `, 1)
	inOrder(order, []func(){
		func() { a.types("Start a loop with the file.") },
		func() { a.runs(strings.ReplaceAll(byHand[1].command, "FIELDS", fields)) },
		func() { a.goesOn() },
	}, []func(){
		func() { b.types("hello") },
		func() { end(b) },
	})
	a.wantTask("make it green")
	a.stops()
	w.wantStatus(a.ID, "USER_STOPPED", 1)
	w.wantNoLoops()
}

// Where nothing tells whose a file is, the first chat that completes a turn
// has it; one that was stopped or has failed never.
func TestAFileOfNobodyGoesToTheFirstCompletedStop(t *testing.T) {
	each(t, few(), func(w *world) {
		a, b := neighbours(w, false)
		w.write(filepath.Join(w.pending(), "1790000000000-77.json"), seven)
		a.types("hello")
		a.stops()
		a.types("hello")
		a.fails()
		b.types("hello")
		a.types("hello")
		b.goesOn()
		b.wantTask("make it green")
		a.rests()
		b.stops()
		w.wantNoLoops()
	})
}

// start in a terminal is for the next chat of its workspace that stops.
func TestStartInATerminalIsForItsWorkspace(t *testing.T) {
	each(t, few(), func(w *world) {
		a, b := neighbours(w, false)
		w.ok(w.repo(), "start", "make it", "green", "--max-iterations", "7")
		b.types("hello")
		b.rests()
		a.types("hello")
		a.works()
		a.says(done)
		text := a.goesOn() // what it did before it had the task does not count for the loop
		w.wantPart("continuation", text, "[Ralph loop 1/7] This task is a Ralph loop")
		w.wantNoPart("continuation", text, "no completion promise")
		a.wantTask("make it green")
		if l := w.wantStatus(a.ID, "running", 0); l.ToolCalls != 0 || len(l.History) != 0 {
			w.Errorf("got %d tool calls, %d records before the agent had the task", l.ToolCalls, len(l.History))
		}
		a.works()
		w.wantPart("continuation", a.goesOn(), "[Ralph loop 2/7]")
		a.stops()
		w.wantNoLoops()
	})
}

// A loop of one iteration has it, although the turn that claimed it is over.
func TestStartWithALimitOfOne(t *testing.T) {
	each(t, few(), func(w *world) {
		c := w.chat()
		w.ok(w.repo(), "start", "make it green", "--max-iterations", "1")
		c.types("hello")
		c.says("Hello.")
		w.wantPart("continuation", c.goesOn(), "[Ralph loop 1/1]")
		c.wantTask("make it green")
		c.works()
		c.isAccepted(done, 1)
	})
}

// start in the agent's shell is for the agent's own chat.
func TestStartByTheAgentIsForItsChat(t *testing.T) {
	each(t, controls(), func(w *world) {
		a, b := w.chat(), w.chat()
		b.types("hello")
		a.types("Start a loop that makes it green.")
		a.runs(`cursor-ralph start "make it green" --max-iterations 7`)
		b.works()
		b.says("Hello.")
		b.rests()
		a.works()
		w.wantPart("continuation", a.goesOn(), "[Ralph loop 2/7]")
		a.wantTask("make it green")
		a.stops()
		w.wantNoLoops()
	})
}

// The agent may be asked in other words to go on.
func TestContinueByTheAgentBringsTheLoopToItsChat(t *testing.T) {
	each(t, controls(), func(w *world) {
		a := waiting(w)
		b := w.chat()
		b.types("Please run cursor-ralph continue " + a.ID)
		w.wantPart("continue", b.runs("cursor-ralph continue "+a.ID), framed("make it green"))
		b.works()
		b.goesOn()
		b.wantTask("make it green")
		b.stops()
		w.wantNoLoops()
	})
}

func TestALoopDoesNotComeToAChatThatHasOne(t *testing.T) {
	each(t, controls(), func(w *world) {
		w.troubles = []string{"has a loop already"} // found by a hook where the program cannot know the chat
		a, b := waiting(w), running(w, `"make it blue"`)
		b.works()
		b.typesAhead("/ralph-loop --continue " + a.ID)
		if !b.ends() {
			w.Fatal("the line did not reach the agent")
		}
		b.tries(b.handOver())
		b.works()
		b.goesOn()
		b.wantTask("make it blue")
		if ids := w.listed(); len(ids) != 2 {
			w.Errorf("got loops %q, want both", ids)
		}
		if l := w.status(a.ID); l.Prompt != "make it green" {
			w.Errorf("got the task %q in the first chat", l.Prompt)
		}
		b.stops()
		a.types("/ralph-loop --continue " + a.ID)
		a.follows()
		a.works()
		a.goesOn()
		a.wantTask("make it green")
		a.stops()
		w.wantNoLoops()
	})
}
