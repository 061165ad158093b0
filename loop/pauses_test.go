package loop_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Each event of a chat comes ten seconds after the one before.
func TestAPauseIsNoWork(t *testing.T) {
	turn, paused, resumed := stop(worked(working)), loop.Event{Kind: loop.EventPause}, loop.Event{Kind: loop.EventResume}
	for _, tt := range []struct {
		name   string
		pause  time.Duration // how long nothing happens after the last of before
		before []loop.Event
		after  []loop.Event
		worked time.Duration
		last   time.Duration // of the last iteration
	}{
		{"no pause", 0, []loop.Event{turn, turn}, []loop.Event{turn}, 20 * time.Second, 10 * time.Second},
		{"paused and resumed", time.Hour, []loop.Event{turn, paused}, []loop.Event{resumed, turn}, 20 * time.Second, 20 * time.Second},
		{"paused, stopped and continued", time.Hour, []loop.Event{turn, paused, turn}, []loop.Event{goOn(loop.Turn{}), turn}, 20 * time.Second, 20 * time.Second},
		{"paused twice", time.Hour, []loop.Event{turn, paused, resumed, paused}, []loop.Event{resumed, turn}, 30 * time.Second, 30 * time.Second},
		{"stopped by the user and taken up again", 72 * time.Hour, []loop.Event{turn, stop(worked(), status(loop.Aborted))}, []loop.Event{goOn(loop.Turn{}), turn}, 20 * time.Second, 20 * time.Second},
		{"waiting for the user's line", time.Hour, []loop.Event{turn, atSessionLimit(loop.TypingPossible, working)}, []loop.Event{goOn(loop.Turn{}), turn}, 20 * time.Second, 10 * time.Second},
		{"the clock was set back", -time.Hour, []loop.Event{turn, paused}, []loop.Event{resumed}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, within(time.Hour))
			c.all(tt.before...)
			c.now = c.now.Add(tt.pause)
			c.all(tt.after...)
			now := c.now.Add(-10 * time.Second) // when the last event was
			if c.l.Status != loop.Running || c.l.Worked(now) != tt.worked {
				t.Errorf("got %s, %s of work, want %s", c.l.Status, c.l.Worked(now), tt.worked)
			}
			if got := c.l.History[len(c.l.History)-1].Seconds; got != tt.last.Seconds() {
				t.Errorf("got %.0f s for the last iteration, want %s", got, tt.last)
			}
		})
	}
}
