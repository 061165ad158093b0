package loop_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestWhatStalls(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		events []loop.Event
		silent time.Duration
		want   bool
	}{
		{"a silent loop", nil, nil, 30 * time.Minute, true},
		{"not yet", nil, nil, 30*time.Minute - time.Second, false},
		{"not a paused loop", nil, []loop.Event{{Kind: loop.EventPause}}, time.Hour, false},
		{"not a loop that waits", nil, []loop.Event{stop(worked(working), sessionLimit(1))}, time.Hour, false},
		{"not an ended loop", nil, []loop.Event{{Kind: loop.EventCancel}}, time.Hour, false},
		{"not a verification that runs", func(l *loop.State) { l.Verify, l.GateTimeout = "make", loop.Duration(2*time.Hour) },
			[]loop.Event{stop(worked(marker))}, time.Hour, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.change)
			c.do(message("go"))
			c.all(tt.events...)
			if got := c.l.IsStalled(0, c.l.EventAt.Add(tt.silent)); got != tt.want {
				t.Errorf("got %t want %t (%s)", got, tt.want, c.l.Status)
			}
		})
	}
}

// TestAStallIsToldOnce: and it is no event of the loop itself.
func TestAStallIsToldOnce(t *testing.T) {
	c := newChat(t)
	stalls := func() loop.ActionKind {
		c.now = c.l.EventAt.Add(time.Hour)
		return c.do(loop.Event{Kind: loop.EventStalled}).Kind
	}
	c.do(message("go"))
	if a := c.do(loop.Event{Kind: loop.EventStalled}); a.Kind != loop.Rest {
		t.Errorf("got %q for a loop that has not stalled", a.Kind)
	}
	for i, want := range []loop.ActionKind{loop.Notify, loop.Rest} {
		if got := stalls(); got != want {
			t.Errorf("time %d: got %q want %q", i+1, got, want)
		}
	}
	if at := c.l.EventAt.Add(time.Minute); !c.l.IsStalled(time.Minute, at) || c.l.IsStalled(0, at) {
		t.Error("the user's time does not count")
	}
	if !c.l.IsStalled(0, c.now) {
		t.Error("it is not stalled")
	}
	c.do(stop(worked(working)))
	if got := stalls(); got != loop.Notify {
		t.Errorf("got %q for the next stall", got)
	}
}
