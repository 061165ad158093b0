package loop_test

import (
	"strings"
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

func TestAPausedLoopHasAllItsTime(t *testing.T) {
	c := newChat(t, within(time.Minute))
	c.all(stop(worked(working)), loop.Event{Kind: loop.EventPause})
	c.now = c.now.Add(time.Hour)
	if got := c.l.Worked(c.now); got != 10*time.Second {
		t.Errorf("while it is paused: got %s of work", got)
	}
	c.do(loop.Event{Kind: loop.EventResume})
	for c.do(stop(worked(working))); c.l.Status == loop.Running; c.do(stop(worked(working))) {
	}
	if !strings.HasPrefix(c.l.Reason, "the time limit of 1m is reached; 6 iterations in 1m") {
		t.Errorf("got %s: %s", c.l.Status, c.l.Reason)
	}
	c.now = c.now.Add(time.Hour)
	if got := c.l.Worked(c.now); got != time.Minute {
		t.Errorf("after its end: got %s of work", got)
	}
}

// A loop that an older version ended has no pause in its file.
func TestAnOldLoopWorkedUntilItsEnd(t *testing.T) {
	c := newChat(t, func(l *loop.State) {
		l.Status, l.StartedAt, l.EndedAt = loop.UserStopped, began().Add(-time.Hour), began().Add(-50*time.Minute)
	})
	c.do(goOn(loop.Turn{}))
	if got := c.l.Worked(began()); got != 10*time.Minute {
		t.Errorf("got %s", got)
	}
}

func TestResumeAtALimitIsRefused(t *testing.T) {
	c := newChat(t, within(15*time.Second))
	c.all(stop(worked(working)), loop.Event{Kind: loop.EventNote, Text: "x"}, loop.Event{Kind: loop.EventPause})
	a := c.do(loop.Event{Kind: loop.EventResume})
	if a.Kind != loop.Refuse || c.l.Status != loop.Paused || a.Why() != "the time limit of 15s is reached" || a.Hint != "raise it: cursor-ralph continue k7f2m --max-duration 1m" {
		t.Errorf("got %s, %+v", c.l.Status, a)
	}
}

func TestALoopThatNoChatHasTakenHasDoneNoWork(t *testing.T) {
	l := newLoop(within(time.Second))
	l.Status, l.EndedAt = loop.Cancelled, began()
	if command := l.ResumeCommand(began().Add(time.Hour)); command != "cursor-ralph continue k7f2m" {
		t.Errorf("got %s", command)
	}
}
