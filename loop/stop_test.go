package loop_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// rule is what becomes of a loop by some events. The promise is how the last
// Action.Promise begins; empty, it must be empty.
type rule struct {
	name    string
	change  func(*loop.State)
	events  []loop.Event
	want    outcome
	promise string
}

func play(t *testing.T, rules []rule) {
	t.Helper()
	for _, tt := range rules {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.change)
			a := c.all(tt.events...)
			if got := c.outcome(a); got != tt.want {
				t.Errorf("got %+v want %+v (%s)", got, tt.want, a.Why())
			}
			if !strings.HasPrefix(a.Promise, tt.promise) || tt.promise == "" && a.Promise != "" {
				t.Errorf("got promise %q want %q", a.Promise, tt.promise)
			}
		})
	}
}

func accepted(i int) outcome  { return outcome{loop.Rest, loop.PromiseAccepted, i} }
func goesOn(i int) outcome    { return outcome{loop.Followup, loop.Running, i} }
func handsOver(i int) outcome { return outcome{loop.HandOver, loop.Waiting, i} }
func awaits(i int) outcome    { return outcome{loop.AwaitText, loop.Running, i} }
func atMaximum(i int) outcome { return outcome{loop.Rest, loop.MaxIterations, i} }
func outOfTime(i int) outcome { return outcome{loop.Rest, loop.MaxDuration, i} }
func stoppedAt(i int) outcome { return outcome{loop.Rest, loop.UserStopped, i} }
func pausedAt(i int) outcome  { return outcome{loop.Rest, loop.Paused, i} }
func runningAt(i int) outcome { return outcome{loop.Rest, loop.Running, i} }
func waitingAt(i int) outcome { return outcome{loop.Rest, loop.Waiting, i} }

func needs(tools int, policy loop.NoWork) func(*loop.State) {
	return func(l *loop.State) { l.MinToolCalls, l.NoWork = tools, policy }
}
func atLeast(iterations int) func(*loop.State) {
	return func(l *loop.State) { l.MinIterations = iterations }
}
func atMost(iterations int) func(*loop.State) {
	return func(l *loop.State) { l.MaxIterations = iterations }
}
func within(d time.Duration) func(*loop.State) {
	return func(l *loop.State) { l.MaxDuration = loop.Duration(d) }
}

func TestWhatAPromiseNeeds(t *testing.T) {
	turn, said, idle := stop(worked(working)), stop(worked(marker)), stop(talked(marker))
	play(t, []rule{
		{"work and a promise end the loop", nil, []loop.Event{said}, accepted(1), "accepted"},
		{"no promise goes on", nil, []loop.Event{turn}, goesOn(1), "none"},

		{"before the first allowed iteration it is refused", atLeast(3), []loop.Event{turn, said}, goesOn(2), "refused: this is iteration 2 and the loop runs for at least 3"},
		{"at the first allowed iteration it counts", atLeast(3), []loop.Event{turn, turn, said}, accepted(3), "accepted"},

		{"without tool calls it is refused", nil, []loop.Event{idle}, goesOn(1), "refused: 0 of the 1 tool calls that a promise needs were made"},
		{"without tool calls it is refused by an unknown policy", needs(1, "odd"), []loop.Event{idle}, goesOn(1), "refused: 0 of the 1"},
		{"without tool calls it is refused by no policy", needs(1, ""), []loop.Event{idle}, goesOn(1), "refused: 0 of the 1"},
		{"without tool calls it counts by warn, with a warning", needs(1, "warn"), []loop.Event{idle}, accepted(1), "accepted with a warning: 0 of the 1"},
		{"without tool calls it counts by accept", needs(1, "accept"), []loop.Event{idle}, accepted(1), "accepted"},
		{"too few tool calls are refused", needs(3, "reject"), []loop.Event{turn, said}, goesOn(2), "refused: 2 of the 3"},
		{"the tool calls of all iterations count", needs(3, "reject"), []loop.Event{turn, turn, idle, said}, accepted(4), "accepted"},
		{"none may be needed", needs(0, "reject"), []loop.Event{idle}, accepted(1), "accepted"},

		{"several messages of a turn count", nil, []loop.Event{stop(worked("So.", marker, "Bye."))}, accepted(1), "accepted"},
		{"a refused promise does not count again by itself", atLeast(2), []loop.Event{said, turn}, goesOn(2), "none"},
		{"it counts when it is given again", atLeast(2), []loop.Event{said, said}, accepted(2), "accepted"},
		{"written and refused it is cleared", func(l *loop.State) { l.LastOutput, l.MinIterations = "COMPLETE", 2 }, []loop.Event{turn, turn}, goesOn(2), "none"},
		{"noted and refused it is cleared", atLeast(2), []loop.Event{{Kind: loop.EventNote, Text: marker}, turn, turn}, goesOn(2), "none"},
		{"noted again it counts", atLeast(2), []loop.Event{{Kind: loop.EventNote, Text: marker}, turn, {Kind: loop.EventNote, Text: marker}, turn}, accepted(2), "accepted"},
		{"refused at the limit it is cleared", func(l *loop.State) { l.LastOutput, l.MaxIterations, l.MinIterations = "COMPLETE", 1, 2 },
			[]loop.Event{turn, {Kind: loop.EventContinue, Continue: loop.Continue{MaxIterations: 9}}, turn}, goesOn(2), "none"},
	})
}

func TestTheLimits(t *testing.T) {
	turn, said, silent := stop(worked(working)), stop(worked(marker)), stop(worked())
	play(t, []rule{
		{"one before the limit it goes on", atMost(3), repeat(2, turn), goesOn(2), "none"},
		{"at the limit it ends", atMost(3), repeat(3, turn), atMaximum(3), "none"},
		{"a limit of one ends the first turn", atMost(1), []loop.Event{turn}, atMaximum(1), "none"},
		{"the promise goes before the limit", atMost(2), []loop.Event{turn, said}, accepted(2), "accepted"},
		{"a refused promise does not", func(l *loop.State) { l.MaxIterations, l.MinIterations = 2, 9 }, []loop.Event{turn, said}, atMaximum(2), "refused: this is iteration 2"},
		{"a count that is past the limit ends", func(l *loop.State) { l.Iterations, l.MaxIterations = 30, 20 }, []loop.Event{turn}, atMaximum(31), "none"},
		{"a count that cannot grow ends", func(l *loop.State) { l.Iterations = 1<<63 - 1 }, []loop.Event{{}, turn}, atMaximum(loop.MaxMaxIterations), "none"},

		{"before its time it goes on", within(time.Minute), repeat(6, turn), goesOn(6), "none"},
		{"its time ends it", within(time.Minute), repeat(7, turn), outOfTime(7), "none"},
		{"the promise goes before the time", within(time.Second), []loop.Event{turn, said}, accepted(2), "accepted"},
		{"of two limits the iterations are named", func(l *loop.State) { l.MaxIterations, l.MaxDuration = 2, loop.Duration(time.Second) }, repeat(2, turn), atMaximum(2), "none"},
		{"a time below zero does not count", within(-time.Hour), repeat(2, turn), goesOn(2), "none"},

		{"a limit without a text waits for it", atMost(1), []loop.Event{silent}, awaits(0), ""},
		{"so does a time limit", within(time.Second), []loop.Event{turn, silent}, awaits(1), ""},
		{"an empty text does not count", atMost(1), []loop.Event{stop(loop.TurnIn(lines(text("")), nil))}, awaits(0), ""},
		{"waited for in vain it ends", atMost(1), []loop.Event{silent, stop(worked(), waited)}, atMaximum(1), "none"},
		{"waited for it may be the promise", atMost(1), []loop.Event{silent, said}, accepted(1), "accepted"},
		{"waited for it may be other words", atMost(1), []loop.Event{silent, turn}, atMaximum(1), "none"},
		{"without a limit nothing is waited for", atMost(2), []loop.Event{silent}, goesOn(1), "none"},
		{"with a written promise nothing is waited for", func(l *loop.State) { l.MaxIterations, l.LastOutput = 1, "COMPLETE" }, []loop.Event{silent}, accepted(1), "accepted"},
	})
}

func TestTheUserStopsALoop(t *testing.T) {
	turn, said := stop(worked(working)), stop(worked(marker))
	byHand := func(l *loop.State) { l.Stop = true }
	pause, cancel := loop.Event{Kind: loop.EventPause}, loop.Event{Kind: loop.EventCancel}
	play(t, []rule{
		{"by the Stop button", nil, []loop.Event{turn, stop(worked(working), status(loop.Aborted))}, stoppedAt(1), ""},
		{"by the Stop button, whatever was promised", nil, []loop.Event{stop(worked(marker), status(loop.Aborted))}, stoppedAt(0), ""},
		{"by the Stop button, paused", nil, []loop.Event{turn, pause, stop(worked(working), status(loop.Aborted))}, stoppedAt(1), ""},
		{"by the Stop button, waiting", nil, []loop.Event{stop(worked(working), sessionLimit(1)), stop(worked(working), status(loop.Aborted))}, stoppedAt(1), ""},
		{"by the flag", byHand, []loop.Event{turn}, stoppedAt(0), ""},
		{"by the flag, whatever was promised", byHand, []loop.Event{said}, stoppedAt(0), ""},
		{"by the flag, paused", byHand, []loop.Event{pause, turn}, stoppedAt(0), ""},
		{"by the flag, in a turn that failed", byHand, []loop.Event{stop(worked(), status(loop.Errored))}, stoppedAt(0), ""},
		{"by cancel, at once", nil, []loop.Event{turn, cancel}, outcome{loop.Rest, loop.Cancelled, 1}, ""},
		{"and nothing follows", nil, []loop.Event{stop(worked(working), status(loop.Aborted)), turn, said}, stoppedAt(0), ""},
	})
}

func TestATurnThatFailsPausesTheLoop(t *testing.T) {
	turn, failed := stop(worked(working)), stop(worked(working), status(loop.Errored))
	resume := loop.Event{Kind: loop.EventResume}
	play(t, []rule{
		{"and is not counted", nil, []loop.Event{turn, failed}, pausedAt(1), ""},
		{"whatever was promised", nil, []loop.Event{stop(worked(marker), status(loop.Errored))}, pausedAt(0), ""},
		{"whatever was written", func(l *loop.State) { l.LastOutput = "COMPLETE" }, []loop.Event{failed}, pausedAt(0), ""},
		{"at its limit too", atMost(1), []loop.Event{failed}, pausedAt(0), ""},
		{"by a status that nobody knows", nil, []loop.Event{stop(worked(working), status("cancelled"))}, pausedAt(0), ""},
		{"by no status at all", nil, []loop.Event{stop(worked(working), status(""))}, pausedAt(0), ""},
		{"also while it waits", nil, []loop.Event{stop(worked(working), sessionLimit(1)), failed}, pausedAt(1), ""},
		{"and the next turn finds it paused", nil, []loop.Event{failed, turn}, pausedAt(0), ""},
		{"resumed it waits, since the agent is idle", nil, []loop.Event{turn, failed, resume}, waitingAt(1), ""},
		{"continued it goes on, and the turn is not counted", nil, []loop.Event{turn, failed, resume, {Kind: loop.EventContinue, Turn: worked(working)}}, goesOn(1), ""},
		{"continued at once too", nil, []loop.Event{turn, failed, {Kind: loop.EventContinue, Turn: worked(working)}}, goesOn(1), ""},
		{"after a hand-over too", nil, []loop.Event{stop(worked(working), sessionLimit(1)), failed, {Kind: loop.EventContinue, Turn: worked(working)}}, goesOn(1), ""},
		{"what it promised is found by continue", nil, []loop.Event{turn, failed, {Kind: loop.EventContinue, Turn: worked(marker)}}, outcome{loop.Refuse, loop.PromiseAccepted, 2}, "accepted"},
	})
	c := newChat(t)
	a := c.do(failed)
	if c.l.PauseReason != "error" || c.l.Reason != "the turn failed: Cursor reported error" || a.Why() != c.l.Reason || !c.l.Idle {
		t.Errorf("got %q, %q, %q, rested %t", c.l.PauseReason, c.l.Reason, a.Why(), c.l.Idle)
	}
}

func TestLateText(t *testing.T) {
	late := func(g string, texts ...string) loop.Event {
		return loop.Event{Kind: loop.EventLateText, Generation: g, Turn: talked(texts...)}
	}
	last := stop(worked(), waited, generation("g"))
	at := func(events ...loop.Event) []loop.Event { return slices.Concat([]loop.Event{last}, events) }
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		events []loop.Event
		after  time.Duration
		want   outcome
	}{
		{"a promise is accepted", atMost(1), at(late("g", marker)), 0, accepted(1)},
		{"other words change nothing", atMost(1), at(late("g", working)), 0, atMaximum(1)},
		{"a promise after other words is accepted", atMost(1), at(late("g", working), late("g", marker)), 0, accepted(1)},
		{"a promise that the rules refuse is refused", func(l *loop.State) { l.MaxIterations, l.MinIterations = 1, 2 }, at(late("g", marker)), 0, atMaximum(1)},
		{"of another turn it is not looked at", atMost(1), at(late("h", marker)), 0, atMaximum(1)},
		{"just in time it counts", atMost(1), at(late("g", marker)), time.Minute, accepted(1)},
		{"too late it does not", atMost(1), at(late("g", marker)), time.Minute + 1, atMaximum(1)},
		{"a loop that the user stopped stays so", nil, []loop.Event{stop(worked(), status(loop.Aborted), generation("g")), late("g", marker)}, 0, stoppedAt(0)},
		{"a loop that runs finds it at the next stop", nil, []loop.Event{stop(worked(working), generation("g")), late("g", marker)}, 0, runningAt(1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.change)
			c.all(tt.events[0])
			c.now = began().Add(tt.after)
			a := c.all(tt.events[1:]...)
			if got := c.outcome(a); got != tt.want {
				t.Errorf("got %+v want %+v (%s)", got, tt.want, a.Why())
			}
			if n := len(c.l.History); n > 0 && (c.l.History[n-1].Promise == "accepted") != (tt.want.Status == loop.PromiseAccepted) {
				t.Errorf("got a record that says %q", c.l.History[n-1].Promise)
			}
		})
	}
}

func TestTheLastFiftyIterationsAreKept(t *testing.T) {
	c := newChat(t, atMost(100))
	c.all(repeat(53, stop(worked(working)))...)
	if h := c.l.History; len(h) != 50 || h[0].Number != 4 || h[49].Number != 53 || c.l.Iterations != 53 {
		t.Errorf("got %d records of %d iterations, from %d to %d", len(h), c.l.Iterations, h[0].Number, h[len(h)-1].Number)
	}
}
