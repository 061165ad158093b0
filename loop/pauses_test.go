package loop_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// The lid is closed for hours while the agent works, or sends no event: half an hour of that counts. What the journal shows in
// between is no silence.
func TestALongSilenceCountsAsHalfAnHour(t *testing.T) {
	hours := func(n float64) time.Duration { return time.Duration(n * float64(time.Hour)) }
	for _, tt := range []struct {
		name   string
		hours  float64   // until the stop
		seen   []float64 // when the agent made calls
		worked time.Duration
		status loop.Status
	}{
		{"no event", 9, nil, 30 * time.Minute, loop.Running},
		{"a silence that is short", 0.5, nil, 30 * time.Minute, loop.Running},
		{"the lid is closed in the middle", 9, []float64{0.25, 0.5, 8.75}, 75 * time.Minute, loop.Running},
		{"the agent works", 2.5, []float64{0.5, 1, 1.5, 2}, 150 * time.Minute, loop.MaxDuration},
		{"two silences", 10, []float64{1, 2, 9}, 2 * time.Hour, loop.MaxDuration},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, within(2*time.Hour), func(l *loop.State) { l.StartedAt = began(); l.EventAt = began() })
			var journal []byte
			for _, at := range tt.seen {
				line, err := loop.Record{Kind: loop.RecordTool, Tool: "Write", At: c.now.Add(hours(at))}.Line()
				if err != nil {
					t.Fatal(err)
				}
				journal = append(journal, line...)
			}
			e := stop(c.l.TurnIn(journal, &loop.Event{Kind: loop.EventStop}))
			e.Turn.Texts = []string{working}
			c.now = c.now.Add(hours(tt.hours))
			if got := c.l.Worked(c.now); tt.seen == nil && got != tt.worked {
				t.Errorf("before the stop: got %s want %s", got, tt.worked)
			}
			now := c.now
			c.do(e)
			if got := c.l.Worked(now); got != tt.worked || c.l.Status != tt.status {
				t.Errorf("got %s, %s want %s, %s", c.l.Status, got, tt.status, tt.worked)
			}
		})
	}
}

// A pause that ends a silence does not make work of it, nor one that follows.
func TestASilenceBeforeAPause(t *testing.T) {
	c := newChat(t, within(2*time.Hour), func(l *loop.State) { l.StartedAt = began(); l.EventAt = began() })
	c.now = c.now.Add(9 * time.Hour)
	c.do(loop.Event{Kind: loop.EventPause})
	c.now = c.now.Add(9 * time.Hour)
	c.do(loop.Event{Kind: loop.EventResume})
	now := c.now
	c.do(stop(worked(working)))
	if got, want := c.l.Worked(now), 30*time.Minute+10*time.Second; got != want || c.l.Status != loop.Running {
		t.Errorf("got %s, %s want %s", c.l.Status, got, want)
	}
}

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
