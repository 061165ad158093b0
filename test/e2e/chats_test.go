//go:build unix

package e2e_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
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
		option("stripped prompt, agent sees its id", func(o *simcursor.Options) { o.ExpandCommands, o.StripComments, o.AgentSeesID = true, true, true }),
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
