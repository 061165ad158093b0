package loop_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func goOn(t loop.Turn, changes ...func(*loop.Event)) loop.Event {
	e := loop.Event{Kind: loop.EventContinue, Turn: t}
	for _, change := range changes {
		change(&e)
	}
	return e
}

func raised(n int) func(*loop.Event) { return func(e *loop.Event) { e.MaxIterations = n } }
func longer(d time.Duration) func(*loop.Event) {
	return func(e *loop.Event) { e.MaxDuration = loop.Duration(d) }
}

func TestPauseAndResume(t *testing.T) {
	turn, said := stop(worked(working)), stop(worked(marker))
	pause, resume := loop.Event{Kind: loop.EventPause}, loop.Event{Kind: loop.EventResume}
	message := loop.Event{Kind: loop.EventMessage, Text: "hello"}
	refused := func(s loop.Status, i int) outcome { return outcome{loop.Refuse, s, i} }
	play(t, []rule{
		{"a pause takes effect at the next stop", nil, []loop.Event{pause, turn}, pausedAt(0), ""},
		{"paused, a promise is not looked for", nil, []loop.Event{turn, pause, said}, pausedAt(1), ""},
		{"paused, a limit is not looked at", atMost(1), []loop.Event{pause, turn, turn}, pausedAt(0), ""},
		{"resumed before the stop it goes on", nil, []loop.Event{turn, pause, resume, turn}, goesOn(2), "none"},
		{"resumed before the stop it runs", nil, []loop.Event{turn, pause, resume}, runningAt(1), ""},
		{"resumed after the stop it waits", nil, []loop.Event{turn, pause, turn, resume}, waitingAt(1), ""},
		{"resumed after the stop it goes on by continue", nil, []loop.Event{turn, pause, turn, resume, goOn(worked(working))}, goesOn(1), ""},
		{"resumed after the stop it goes on by a message", nil, []loop.Event{turn, pause, turn, resume, message, turn}, goesOn(2), "none"},
		{"resumed after the stop and a message it runs", nil, []loop.Event{turn, pause, turn, message, resume}, runningAt(1), ""},
		{"a stop that was answered sets the agent to work", nil, []loop.Event{turn, pause, turn, resume, turn, pause, resume}, runningAt(2), ""},
		{"a second pause after a resume", nil, []loop.Event{turn, pause, turn, resume, pause, resume}, waitingAt(1), ""},
		{"paused while it waits, it waits again", nil, []loop.Event{stop(worked(working), sessionLimit(1)), pause, resume}, waitingAt(1), ""},
		{"a running loop cannot be resumed", nil, []loop.Event{turn, resume}, refused(loop.Running, 1), ""},
		{"a waiting loop cannot be resumed", nil, []loop.Event{stop(worked(working), sessionLimit(1)), resume}, refused(loop.Waiting, 1), ""},
		{"an ended loop is not paused", nil, []loop.Event{said, pause, resume}, accepted(1), ""},
		{"continue lifts a pause", nil, []loop.Event{turn, pause, turn, goOn(worked(working))}, goesOn(1), ""},
	})
	c := newChat(t)
	c.all(turn, pause)
	if c.l.PauseReason != "user" || c.l.Reason != "" {
		t.Errorf("got %q, %q", c.l.PauseReason, c.l.Reason)
	}
	if c.do(resume); c.l.PauseReason != "" || c.l.Reason != "" {
		t.Errorf("got %q, %q", c.l.PauseReason, c.l.Reason)
	}
	if c.all(pause, turn, resume); c.l.PauseReason != "" || c.l.Reason != "resumed; the agent is idle until the continue line is typed" {
		t.Errorf("idle: got %q, %q", c.l.PauseReason, c.l.Reason)
	}
}

func TestContinueALiveLoop(t *testing.T) {
	handOver := stop(worked(working), sessionLimit(1))
	over := func(i int) outcome { return outcome{loop.Refuse, loop.PromiseAccepted, i} }
	atLimit := func(i int) outcome { return outcome{loop.Refuse, loop.MaxIterations, i} }
	play(t, []rule{
		{"the handed-over turn is counted", nil, []loop.Event{handOver, goOn(worked(working))}, goesOn(2), ""},
		{"by its words alone too", nil, []loop.Event{handOver, goOn(talked(working))}, goesOn(2), ""},
		{"by its tools alone too", nil, []loop.Event{handOver, goOn(worked())}, goesOn(2), ""},
		{"it is counted once", nil, []loop.Event{handOver, goOn(worked(working)), goOn(worked(working))}, outcome{loop.Refuse, loop.Running, 2}, ""},
		{"it is counted once, with the turn that follows", nil, []loop.Event{handOver, goOn(worked(working)), stop(worked(working))}, goesOn(3), "none"},
		{"a turn of which nothing was seen is not counted", nil, []loop.Event{handOver, goOn(loop.Turn{})}, goesOn(1), ""},
		{"a turn that was not handed over is not counted", nil, []loop.Event{stop(worked(working)), goOn(worked(working))}, goesOn(1), ""},
		{"paused meanwhile it is counted", nil, []loop.Event{handOver, {Kind: loop.EventPause}, goOn(worked(working))}, goesOn(2), ""},
		{"its end seen it is not counted twice", nil, []loop.Event{handOver, handOver, goOn(worked(working))}, goesOn(3), ""},

		{"a promise in it ends the loop", nil, []loop.Event{handOver, goOn(worked(marker))}, over(2), "accepted"},
		{"a promise in it goes before the limit", atMost(2), []loop.Event{handOver, goOn(worked(marker))}, over(2), "accepted"},
		{"a promise that needs this iteration", atLeast(2), []loop.Event{handOver, goOn(worked(marker))}, over(2), "accepted"},
		{"a promise that is too early", atLeast(3), []loop.Event{handOver, goOn(worked(marker))}, goesOn(2), ""},
		{"a promise without work", needs(3, "reject"), []loop.Event{handOver, goOn(talked(marker))}, goesOn(2), ""},
		{"a promise that was noted", nil, []loop.Event{handOver, {Kind: loop.EventNote, Text: marker}, goOn(worked(working))}, over(2), "accepted"},
		{"a refused one does not count again", atLeast(3), []loop.Event{handOver, {Kind: loop.EventNote, Text: marker}, goOn(worked(working)), stop(worked(working))}, goesOn(3), "none"},
		{"a promise in a first turn whose end was not seen", nil, []loop.Event{{Kind: loop.EventMessage}, goOn(worked(marker))}, over(1), "accepted"},
		{"a promise in a turn whose end was not seen, too early", atLeast(2), []loop.Event{{Kind: loop.EventMessage}, goOn(worked(marker))}, goesOn(0), ""},
		{"a promise in a later turn whose end was not seen", atLeast(2), []loop.Event{stop(worked(working)), goOn(worked(marker))}, over(2), "accepted"},

		{"the limit is reached by it", atMost(2), []loop.Event{handOver, goOn(worked(working))}, atLimit(2), ""},
		{"the limit is reached by it and raised too little", nil, []loop.Event{handOver, goOn(worked(working), raised(2))}, outcome{loop.Refuse, loop.Waiting, 1}, ""},
		{"a promise in it goes before a limit that is too low", nil, []loop.Event{handOver, goOn(worked(marker), raised(1))}, over(2), "accepted"},
		{"the limit is reached by it and raised", atMost(2), []loop.Event{handOver, goOn(worked(working), raised(3))}, goesOn(2), ""},
		{"without it the limit is not reached", atMost(2), []loop.Event{handOver, goOn(loop.Turn{})}, goesOn(1), ""},
		{"the time is over", within(time.Second), []loop.Event{{Kind: loop.EventMessage}, goOn(worked(working))}, outcome{loop.Refuse, loop.MaxDuration, 0}, ""},
		{"the time is over and more is given", within(time.Second), []loop.Event{{Kind: loop.EventMessage}, goOn(worked(working), longer(time.Hour))}, goesOn(0), ""},
		{"the user's stop is taken back", func(l *loop.State) { l.Stop = true }, []loop.Event{goOn(loop.Turn{}), stop(worked(working))}, goesOn(1), "none"},
		{"an unknown status runs again", func(l *loop.State) { l.Status = "odd" }, []loop.Event{goOn(loop.Turn{})}, goesOn(0), ""},
		{"a session begins anew", func(l *loop.State) { l.SessionIterations = 4 }, []loop.Event{goOn(loop.Turn{}), stop(worked(working), sessionLimit(5))}, goesOn(1), "none"},
		{"a stop right after it is counted", nil, []loop.Event{stop(worked(working), loopCount(4), sessionLimit(6)), goOn(loop.Turn{}), stop(worked(working), sessionLimit(6))}, goesOn(2), "none"},
	})
}

func TestContinueAnEndedLoop(t *testing.T) {
	refused := func(s loop.Status, i int) outcome { return outcome{loop.Refuse, s, i} }
	ended := func(s loop.Status) func(*loop.State) {
		return func(l *loop.State) {
			l.Status, l.Iterations, l.EndedAt, l.Stop, l.StartedAt = s, 20, began(), true, began()
		}
	}
	early := func(s loop.Status) func(*loop.State) {
		return func(l *loop.State) { ended(s)(l); l.Iterations = 3 }
	}
	overtime := func(l *loop.State) {
		early(loop.MaxDuration)(l)
		l.MaxDuration, l.StartedAt = loop.Duration(time.Hour), began().Add(-2*time.Hour)
	}
	again := []loop.Event{goOn(talked(marker))}
	play(t, []rule{
		{"an accepted promise stays", early(loop.PromiseAccepted), []loop.Event{goOn(loop.Turn{}, raised(99))}, refused(loop.PromiseAccepted, 3), ""},
		{"a replaced one stays", early(loop.Replaced), []loop.Event{goOn(loop.Turn{}, raised(99))}, refused(loop.Replaced, 3), ""},
		{"a stopped one goes on", early(loop.UserStopped), again, goesOn(3), ""},
		{"a cancelled one goes on", early(loop.Cancelled), again, goesOn(3), ""},
		{"a blocked one goes on", early(loop.Blocked), again, goesOn(3), ""},
		{"a stopped one at its limit does not", ended(loop.UserStopped), again, refused(loop.UserStopped, 20), ""},
		{"a stopped one at its limit goes on with a higher one", ended(loop.UserStopped), []loop.Event{goOn(loop.Turn{}, raised(21))}, goesOn(20), ""},
		{"one at its limit stays", ended(loop.MaxIterations), again, refused(loop.MaxIterations, 20), ""},
		{"one at its limit stays with the same limit", ended(loop.MaxIterations), []loop.Event{goOn(loop.Turn{}, raised(20))}, refused(loop.MaxIterations, 20), ""},
		{"one at its limit goes on with a higher one", ended(loop.MaxIterations), []loop.Event{goOn(loop.Turn{}, raised(21))}, goesOn(20), ""},
		{"one at its limit stays with more time", ended(loop.MaxIterations), []loop.Event{goOn(loop.Turn{}, longer(time.Hour))}, refused(loop.MaxIterations, 20), ""},
		{"one out of time stays", overtime, again, refused(loop.MaxDuration, 3), ""},
		{"one out of time stays with more iterations", overtime, []loop.Event{goOn(loop.Turn{}, raised(99))}, refused(loop.MaxDuration, 3), ""},
		{"one out of time stays with too little more", overtime, []loop.Event{goOn(loop.Turn{}, longer(2*time.Hour))}, refused(loop.MaxDuration, 3), ""},
		{"one out of time goes on with more", overtime, []loop.Event{goOn(loop.Turn{}, longer(3*time.Hour))}, goesOn(3), ""},
		{"one that went on is counted on", early(loop.UserStopped), []loop.Event{goOn(loop.Turn{}), stop(worked(working))}, goesOn(4), "none"},
		{"one that went on ends at its new limit", ended(loop.MaxIterations), append([]loop.Event{goOn(loop.Turn{}, raised(22))}, repeat(2, stop(worked(working)))...), atMaximum(22), "none"},
	})
}

func TestThereIsAlwaysALimit(t *testing.T) {
	c := newChat(t)
	if c.do(goOn(loop.Turn{}, raised(1<<40))); c.l.MaxIterations != loop.MaxMaxIterations {
		t.Errorf("got %d", c.l.MaxIterations)
	}
	next, _ := loop.Decide(newLoop(), goOn(loop.Turn{}, raised(1<<40)), began())
	if next.MaxIterations != loop.MaxMaxIterations {
		t.Errorf("got %d want %d", next.MaxIterations, loop.MaxMaxIterations)
	}
}

func TestWhatEndsALoopAtOnce(t *testing.T) {
	for _, tt := range []struct {
		name        string
		event       loop.Event
		want        loop.Status
		reason, why string
	}{
		{"blocked", loop.Event{Kind: loop.EventBlocked, Text: "no key"}, loop.Blocked, "no key", "blocked: no key"},
		{"cancelled", loop.Event{Kind: loop.EventCancel}, loop.Cancelled, "cancelled by the user", "cancelled by the user"},
		{"replaced", loop.Event{Kind: loop.EventReplace}, loop.Replaced, "replaced by another loop in this conversation", "replaced by another loop in this conversation"},
	} {
		for _, from := range statuses() {
			t.Run(tt.name+" from "+string(from), func(t *testing.T) {
				c := newChat(t, func(l *loop.State) { l.Status, l.PauseReason, l.Reason = from, "user", "before" })
				a := c.do(tt.event)
				want := [3]string{string(tt.want), tt.reason, tt.why}
				if from.Ended() {
					want = [3]string{string(from), "before", ""}
				}
				if got := [3]string{string(c.l.Status), c.l.Reason, a.Why()}; got != want || a.Kind != loop.Rest {
					t.Errorf("got %q want %q", got, want)
				}
				if !from.Ended() && (!c.l.EndedAt.Equal(began()) || c.l.PauseReason != "") {
					t.Errorf("got ended %s, pause reason %q", c.l.EndedAt, c.l.PauseReason)
				}
			})
		}
	}
}
