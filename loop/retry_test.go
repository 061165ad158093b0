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
		i := c.l.Injection
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

// Until it is due the user may well type the line himself, in another chat.
func TestAnInjectionThatIsNotDueKeepsNothingBack(t *testing.T) {
	typed := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c2"}}
	c := newChat(t, retries)
	c.do(failedTurn())
	if a := c.do(typed); a.Kind == loop.Refuse {
		t.Errorf("got %+v", a)
	}
	c.now = c.l.Injection.DueAt
	if a := c.do(typed); a.Kind != loop.Refuse {
		t.Errorf("when it is due: got %+v", a)
	}
}

func TestWhatEndsTheWaitForATry(t *testing.T) {
	for name, e := range map[string]loop.Event{
		"a message": {Kind: loop.EventMessage, Text: "do it otherwise"}, "pause": {Kind: loop.EventPause}, "cancel": {Kind: loop.EventCancel},
		"continue": {Kind: loop.EventContinue},
	} {
		c := newChat(t, retries)
		c.do(failedTurn())
		id := c.l.Injection.ID
		if c.do(e); c.l.Injecting(id, c.now) {
			t.Errorf("%s: it is still wanted", name)
		}
	}
}

func TestAStaleLoopDoesNotGoOnByItself(t *testing.T) {
	day := 24 * time.Hour
	hello, own := loop.Event{Kind: loop.EventMessage, Text: "Hello again."}, loop.Event{Kind: loop.EventMessage}
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		after  time.Duration
		events []loop.Event
		want   outcome
	}{
		{"a stop after a day", nil, day + time.Hour, []loop.Event{stop(worked(working))}, pausedAt(1)},
		{"a message and its stop after a day", nil, day + time.Hour, []loop.Event{hello, stop(worked(working))}, pausedAt(1)},
		{"a promise does not count either", nil, day + time.Hour, []loop.Event{stop(worked(marker))}, pausedAt(1)},
		{"less than a day", nil, day - time.Hour, []loop.Event{hello, stop(worked(working))}, goesOn(2)},
		{"our own follow-up, however late", nil, day + time.Hour, []loop.Event{own, stop(worked(working))}, goesOn(2)},
		{"as long as the user says", func(l *loop.State) { l.StaleAfter = loop.Duration(3 * day) }, 2 * day, []loop.Event{hello, stop(worked(working))}, goesOn(2)},
		{"continued, it goes on", nil, 9 * day, []loop.Event{hello, {Kind: loop.EventContinue}, stop(worked(working))}, goesOn(2)},
		{"continued before anything else", nil, 9 * day, []loop.Event{{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c1"}}, {Kind: loop.EventContinue}, stop(worked(working))}, goesOn(2)},
		{"the continue line as a message", nil, 9 * day, []loop.Event{{Kind: loop.EventMessage, Text: "/ralph-loop --continue c1"}, {Kind: loop.EventContinue}, stop(worked(working))}, goesOn(2)},
		{"the continue line alone pauses nothing", nil, 9 * day, []loop.Event{{Kind: loop.EventMessage, Text: "/ralph-loop --continue c1"}}, runningAt(1)},
		{"the user's Stop", nil, 9 * day, []loop.Event{stop(worked(working), status(loop.Aborted))}, stoppedAt(1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.change)
			own.Text = c.do(stop(worked(working))).Text
			c.now = c.now.Add(tt.after)
			var last loop.Action
			told := "nothing"
			for _, e := range tt.events {
				if e.Kind == loop.EventMessage && e.Text == "" {
					e.Text = own.Text
				}
				if last = c.do(e); c.l.PauseReason == "stale" && told == "nothing" {
					told = last.Why()
				}
			}
			if told := told == c.l.Reason; told != (c.l.PauseReason == "stale") {
				t.Errorf("got told %t, the status %s (%s)", told, c.l.Status, c.l.Reason)
			}
			got := c.outcome(last)
			if got != tt.want || got.Status == loop.Paused && c.l.PauseReason != "stale" {
				t.Errorf("got %+v, paused because of %q, want %+v", got, c.l.PauseReason, tt.want)
			}
		})
	}
}

func TestALoopThatTheUserPausedIsNotPausedOnceMore(t *testing.T) {
	c := newChat(t)
	c.do(loop.Event{Kind: loop.EventPause})
	c.now = c.now.Add(48 * time.Hour)
	if c.do(stop(worked(working))); c.l.PauseReason != "user" || c.l.Status != loop.Paused {
		t.Errorf("got %s because of %q", c.l.Status, c.l.PauseReason)
	}
}

func TestAnOddNumberOfRetriesIsNone(t *testing.T) {
	c := newChat(t, retries, func(l *loop.State) { l.Retries = -1 })
	c.l = saved(t, c.l)
	if c.do(failedTurn()); c.l.Retries != 1 || c.l.Status != loop.Waiting {
		t.Errorf("got %d retries, %s", c.l.Retries, c.l.Status)
	}
}
