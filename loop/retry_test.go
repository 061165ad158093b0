package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func retries(l *loop.State) { l.OnError = "retry" }

// failedTurn is one under a Cursor that is known to report the user's Stop as
// aborted, on a machine that can type.
func failedTurn(changes ...func(*loop.Event)) loop.Event {
	return stop(worked(working), append([]func(*loop.Event){status(loop.Errored), func(e *loop.Event) { e.Aborts, e.Typing = true, loop.TypingPossible }}, changes...)...)
}

func TestAFailedTurnIsTriedAgain(t *testing.T) {
	unsure := failedTurn(func(e *loop.Event) { e.Aborts = false })
	handless := failedTurn(func(e *loop.Event) { e.Typing = loop.TypingImpossible })
	unknown := failedTurn(func(e *loop.Event) { e.Typing = "" })
	tried := outcome{loop.Inject, loop.Waiting, 0}
	goOn := loop.Event{Kind: loop.EventContinue}
	play(t, []rule{
		{"not unless asked for", nil, []loop.Event{failedTurn()}, pausedAt(0), ""},
		{"if asked for", retries, []loop.Event{failedTurn()}, tried, ""},
		{"not while an error may be the user's Stop", retries, []loop.Event{unsure}, pausedAt(0), ""},
		{"not where nothing can type", retries, []loop.Event{handless}, pausedAt(0), ""},
		{"first it is found out whether it can", retries, []loop.Event{unknown}, outcome{loop.AskTyping, loop.Running, 0}, ""},
		{"four times in a row", retries, []loop.Event{failedTurn(), goOn, failedTurn(), goOn, failedTurn(), goOn, failedTurn()}, tried, ""},
		{"not a fifth time", retries, []loop.Event{failedTurn(), goOn, failedTurn(), goOn, failedTurn(), goOn, failedTurn(), goOn, failedTurn()}, pausedAt(0), ""},
		{"a turn that succeeded begins anew", retries, []loop.Event{failedTurn(), goOn, failedTurn(), goOn, failedTurn(), goOn, failedTurn(), goOn, stop(worked(working)), failedTurn()}, outcome{loop.Inject, loop.Waiting, 1}, ""},
		{"never after the user's Stop", retries, []loop.Event{stop(worked(working), status(loop.Aborted), func(e *loop.Event) { e.Aborts, e.Typing = true, loop.TypingPossible })}, stoppedAt(0), ""},
		{"never after a stop by hand", func(l *loop.State) { l.OnError, l.Stop = "retry", true }, []loop.Event{failedTurn()}, stoppedAt(0), ""},
		{"never while paused", func(l *loop.State) { l.OnError, l.Status = "retry", loop.Paused }, []loop.Event{failedTurn()}, pausedAt(0), ""},
	})
}

func TestTheWaitBeforeATryDoubles(t *testing.T) {
	c := newChat(t, retries)
	for _, want := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute} {
		at := c.now
		c.do(failedTurn())
		i := c.l.Delivery
		if got := i.DueAt.Sub(at); got != want || !strings.Contains(c.l.Reason, "tried again after "+strings.TrimSuffix(want.String(), "m0s")) {
			t.Errorf("got %s (%s), want %s", got, c.l.Reason, want)
		}
		for after, open := range map[time.Duration]bool{0: true, want - time.Second: true, want + 119*time.Second: true, want + 3*time.Minute: false} {
			if got := c.l.Injecting(i.ID, at.Add(after)); got != open {
				t.Errorf("wait %s, after %s: got wanted %t", want, after, got)
			}
		}
		c.do(loop.Event{Kind: loop.EventContinue})
	}
	if c.l.Iterations != 0 {
		t.Errorf("got %d iterations: a failed turn does not count", c.l.Iterations)
	}
}

func TestWhatEndsTheWaitForATry(t *testing.T) {
	for name, e := range map[string]loop.Event{
		"a message": {Kind: loop.EventMessage, Text: "do it otherwise"}, "pause": {Kind: loop.EventPause}, "cancel": {Kind: loop.EventCancel},
		"continue": {Kind: loop.EventContinue},
	} {
		c := newChat(t, retries)
		c.do(failedTurn())
		id := c.l.Delivery.ID
		if c.do(e); c.l.Injecting(id, c.now) {
			t.Errorf("%s: it is still wanted", name)
		}
	}
}
