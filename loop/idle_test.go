package loop_test

import (
	"slices"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// quickly plays turns that are over within two seconds.
func quickly(t *testing.T, change func(*loop.State), events ...loop.Event) (*chat, loop.Action) {
	t.Helper()
	c := newChat(t, change)
	var last loop.Action
	for _, e := range events {
		last = c.do(e)
		c.now = c.now.Add(-8 * time.Second)
	}
	return c, last
}

func TestEmptyTurns(t *testing.T) {
	empty, silent, used := stop(talked("Hm.")), stop(talked()), stop(worked(working))
	slow := func(l *loop.State) { l.StartedAt = began().Add(-time.Hour) }
	driven := func(noTools bool) func(*loop.State) {
		return func(l *loop.State) { l.Run = loop.Run{Agent: "a", Driver: driver(noTools)} }
	}
	then := func(first loop.Event, n int, e loop.Event) []loop.Event {
		return append([]loop.Event{first}, repeat(n, e)...)
	}
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		events []loop.Event
		want   outcome
	}{
		{"five after a tool call pause", nil, then(used, 5, empty), pausedAt(6)},
		{"four do not", nil, then(used, 4, empty), goesOn(5)},
		{"a tool call starts the count again", nil, slices.Concat(then(used, 4, empty), then(used, 4, empty)), goesOn(10)},
		{"a changed file starts the count again", begunAt("a"), slices.Concat(repeat(4, inTree("a", talked())), []loop.Event{inTree("b", talked())}, repeat(4, inTree("b", talked()))), goesOn(9)},
		{"in git without any tool call", begunAt("a"), repeat(5, inTree("a", talked())), pausedAt(5)},
		{"nothing that could tell", nil, repeat(9, empty), goesOn(9)},
		{"an agent of run", driven(false), repeat(5, empty), pausedAt(5)},
		{"a program that prints, outside git", driven(true), repeat(9, empty), goesOn(9)},
		{"a program that prints nothing", driven(true), repeat(5, silent), pausedAt(5)},
		{"the first turn took long", func(l *loop.State) { slow(l); driven(false)(l) }, repeat(5, empty), goesOn(5)},
		{"a message of the user begins anew", driven(false), slices.Concat(repeat(4, empty), []loop.Event{{Kind: loop.EventMessage, Text: "go on"}}, repeat(4, empty)), goesOn(8)},
		{"resumed, it begins anew", driven(false), slices.Concat(repeat(5, empty), []loop.Event{{Kind: loop.EventResume}}, repeat(4, empty)), goesOn(9)},
		{"the limit comes first", func(l *loop.State) { driven(false)(l); l.MaxIterations = 5 }, repeat(5, empty), atMaximum(5)},
		{"a promise ends the loop all the same", func(l *loop.State) { driven(false)(l); l.NoWork = "accept" }, append(repeat(4, empty), stop(talked(marker))), accepted(5)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, a := quickly(t, tt.change, tt.events...)
			if got := c.outcome(a); got != tt.want {
				t.Errorf("got %+v want %+v (%s)", got, tt.want, a.Why())
			}
		})
	}
	t.Run("slow turns", func(t *testing.T) {
		c := newChat(t, driven(false))
		if got := c.outcome(c.all(repeat(9, empty)...)); got != goesOn(9) {
			t.Errorf("got %+v, want it to go on", got)
		}
	})
}
