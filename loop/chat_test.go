package loop_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

const (
	marker  = "<promise>COMPLETE</promise>"
	working = "Some of it is done."
)

// began is when the loops of the tests start.
func began() time.Time { return time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC) }

// newLoop is a loop with the default rules, as it is found at its first event.
func newLoop(changes ...func(*loop.State)) loop.State {
	l := loop.New()
	l.Prompt, l.ID, l.ConversationID, l.Status = "Build it.", "k7f2m", "c1", loop.Running
	for _, change := range changes {
		if change != nil {
			change(&l)
		}
	}
	return l
}

// chat plays what happens to one loop. Each event comes ten seconds after the
// one before, and each time the state goes through its file.
type chat struct {
	t     *testing.T
	l     loop.State
	now   time.Time
	stops int
	quick bool // the state does not go through its file
}

func newChat(t *testing.T, changes ...func(*loop.State)) *chat {
	return &chat{t: t, l: newLoop(changes...), now: began()}
}

// do adds a new generation to a stop that has none.
func (c *chat) do(e loop.Event) loop.Action {
	c.t.Helper()
	if e.Kind == loop.EventStop {
		c.stops++
		if e.Generation == "" {
			e.Generation = fmt.Sprint("g", c.stops)
		}
	}
	return c.decides(e)
}

func (c *chat) decides(e loop.Event) loop.Action {
	c.t.Helper()
	next, action := loop.Decide(c.l, e, c.now)
	if !c.quick {
		next = saved(c.t, next)
	}
	c.l, c.now = next, c.now.Add(10*time.Second)
	return action
}

// all returns the last action.
func (c *chat) all(events ...loop.Event) (last loop.Action) {
	c.t.Helper()
	for _, e := range events {
		last = c.do(e)
	}
	return last
}

// saved is what is left of a state after it was written and read.
func saved(t *testing.T, l loop.State) loop.State {
	t.Helper()
	data, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	l, err = loop.Parse(data)
	if err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	return l
}

// worked is a turn with one tool call that counts, in which the agent said
// texts; talked is one without a call.
func worked(texts ...string) loop.Turn {
	t := talked(texts...)
	t.Tools, t.ToolCalls = map[string]int{"Shell": 1}, 1
	return t
}

func talked(texts ...string) loop.Turn { return loop.Turn{Texts: texts} }

// stop is the end of a turn, with changes.
func stop(t loop.Turn, changes ...func(*loop.Event)) loop.Event {
	e := loop.Event{Kind: loop.EventStop, Turn: t, Stop: loop.Stop{Status: loop.Completed}}
	for _, change := range changes {
		change(&e)
	}
	return e
}

func status(s loop.StopStatus) func(*loop.Event) { return func(e *loop.Event) { e.Status = s } }
func loopCount(n int) func(*loop.Event)          { return func(e *loop.Event) { e.LoopCount = n } }

// sessionLimit is that of a Cursor into which nothing can be typed.
func sessionLimit(n int) func(*loop.Event) {
	return func(e *loop.Event) { e.SessionLimit, e.Typing = n, loop.TypingImpossible }
}
func generation(g string) func(*loop.Event) { return func(e *loop.Event) { e.Generation = g } }
func waited(e *loop.Event)                  { e.Waited = true }

func repeat(n int, e loop.Event) []loop.Event {
	events := make([]loop.Event, n)
	for i := range events {
		events[i] = e
	}
	return events
}

// outcome is what a test of a rule looks at.
type outcome struct {
	Action     loop.ActionKind
	Status     loop.Status
	Iterations int
}

func (c *chat) outcome(a loop.Action) outcome { return outcome{a.Kind, c.l.Status, c.l.Iterations} }
