package loop_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// added returns the user's notes that a text for the agent contains.
func added(text string) (notes []string) {
	_, list, found := strings.Cut(text, "Added by the user:\n")
	if !found {
		return nil
	}
	for line := range strings.Lines(list) {
		note, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "- ")
		if !ok {
			break
		}
		notes = append(notes, note)
	}
	return notes
}

// Whatever happens, and at whatever moment a note is added, the agent
// gets each note once, and in order; those it has not got are still there.
func TestContextAddedAtAnyMomentIsDeliveredOnceAndInOrder(t *testing.T) {
	for seed := range uint64(short.Times(100, 500)) {
		r := rand.New(rand.NewPCG(seed, 2))
		c := newChat(t, verifies, atMost(1000), func(l *loop.State) { l.OnError = "retry" })
		c.quick = true
		var given, got []string
		hear := func(a loop.Action) loop.Action {
			got = append(got, added(a.Text)...)
			return a
		}
		note := func() {
			for range r.IntN(3) {
				given = append(given, fmt.Sprint("note ", len(given)))
				c.do(loop.Event{Kind: loop.EventContext, Text: given[len(given)-1]})
			}
		}
		for range 30 {
			note()
			e := anyTurn(r)
			a := hear(c.do(e))
			for a.Kind == loop.AwaitText || a.Kind == loop.AskTyping || a.Kind == loop.AskVerify {
				note()
				e.Generation = c.l.LastStop.Generation
				if a = hear(c.answered(e, a.Kind, r)); c.l.Status.Ended() {
					break
				}
				e.Waited, e.Typing = true, loop.TypingPossible
			}
			note()
		}
		if got = append(got, c.l.Context...); !slices.Equal(got, given) {
			t.Fatalf("seed %d: got  %q\nwant %q", seed, got, given)
		}
	}
}

// anyTurn is one of the things that can happen to a loop; none ends it.
func anyTurn(r *rand.Rand) loop.Event {
	working := fmt.Sprint("Some of it is done. ", r.Uint32())
	return []loop.Event{
		stop(worked(working)), stop(worked(marker)), stop(talked()),
		stop(worked(working), func(e *loop.Event) { e.SessionLimit = 1 }),
		stop(worked(working), sessionLimit(1)),
		failedTurn(func(e *loop.Event) { e.Typing = "" }),
		{Kind: loop.EventMessage, Text: "a message"}, {Kind: loop.EventPause}, {Kind: loop.EventResume}, {Kind: loop.EventNote, Text: "half"},
		{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c1"}}, {Kind: loop.EventContinue}, {Kind: loop.EventContinue, Continue: loop.Continue{Idle: true}}, {Kind: loop.EventReplace + "d"},
		{Kind: loop.EventInject}, {},
	}[r.IntN(16)]
}

// answered asks again, with what was asked for.
func (c *chat) answered(e loop.Event, kind loop.ActionKind, r *rand.Rand) loop.Action {
	if kind == loop.AskVerify {
		return c.verified(e, loop.Verification{Exit: 1 + r.IntN(3)})
	}
	e.Waited, e.Typing = true, []loop.Typing{loop.TypingPossible, loop.TypingImpossible}[r.IntN(2)]
	return c.decides(e)
}
