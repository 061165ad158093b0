package loop_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

		{"a minimal installation skips the rule and says so", nil, []loop.Event{stop(talked(marker), minimal)}, accepted(1), "accepted with a warning: tool calls are not seen by a minimal installation"},
		{"a minimal installation keeps the other rule", atLeast(2), []loop.Event{stop(talked(marker), minimal)}, goesOn(1), "refused: this is iteration 1"},
		{"the last stop decides whether the installation is minimal", nil, []loop.Event{stop(talked(working), minimal), idle}, goesOn(2), "refused: 0 of the 1"},

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

func TestProgressIsKept(t *testing.T) {
	for _, words := range []string{working, marker} {
		c := newChat(t, atLeast(2))
		c.all(loop.Event{Kind: loop.EventNote, Text: "half COMPLETE"}, stop(worked(words)))
		if c.l.LastOutput != "half COMPLETE" {
			t.Errorf("beside %q: got %q", words, c.l.LastOutput)
		}
	}
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
		{"an empty text does not count", atMost(1), []loop.Event{stop(loop.Fold(lines(text("")), nil))}, awaits(0), ""},
		{"waited for in vain it ends", atMost(1), []loop.Event{silent, stop(worked(), waited)}, atMaximum(1), "none"},
		{"waited for it may be the promise", atMost(1), []loop.Event{silent, said}, accepted(1), "accepted"},
		{"waited for it may be other words", atMost(1), []loop.Event{silent, turn}, atMaximum(1), "none"},
		{"a minimal installation does not wait", atMost(1), []loop.Event{stop(worked(), minimal)}, atMaximum(1), "none"},
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

func TestAStoppedLoopKeepsWhatItDid(t *testing.T) {
	c := newChat(t)
	turn := worked(working)
	turn.Length, turn.IDs = 99, []string{"t1"}
	c.do(stop(turn, status(loop.Aborted)))
	want := loop.Mark{Offset: 99, Tools: []string{"t1"}}
	if diff := cmp.Diff(want, c.l.Journal); diff != "" || c.l.ToolCalls != 1 || !c.l.Stop || !c.l.EndedAt.Equal(began()) {
		t.Errorf("got %d tool calls, stop %t, ended %s, -want +got:\n%s", c.l.ToolCalls, c.l.Stop, c.l.EndedAt, diff)
	}
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
	if c.l.PauseReason != "error" || c.l.Reason != "the turn failed: Cursor reported error" || a.Why() != c.l.Reason || !c.l.Rested {
		t.Errorf("got %q, %q, %q, rested %t", c.l.PauseReason, c.l.Reason, a.Why(), c.l.Rested)
	}
}

func TestTheSessionLimit(t *testing.T) {
	turn := func(n int) loop.Event { return stop(worked(working), sessionLimit(5), loopCount(n)) }
	old := stop(worked(working), sessionLimit(5)) // a Cursor that counts nothing
	message := loop.Event{Kind: loop.EventMessage, Text: "How is it going?"}
	inSession := func(n int) func(*loop.State) {
		return func(l *loop.State) { l.Iterations, l.SessionIterations = n, n }
	}
	play(t, []rule{
		{"by the fifth stop", nil, []loop.Event{turn(0), turn(1), turn(2), turn(3), turn(4)}, handsOver(5), "none"},
		{"not by the fourth", nil, []loop.Event{turn(0), turn(1), turn(2), turn(3)}, goesOn(4), "none"},
		{"by session_iterations alone", nil, repeat(5, old), handsOver(5), "none"},
		{"not by four session_iterations", nil, repeat(4, old), goesOn(4), "none"},
		{"by loop_count alone", nil, []loop.Event{turn(4)}, handsOver(1), "none"},
		{"by a loop_count beyond it", nil, []loop.Event{turn(7)}, handsOver(1), "none"},
		{"not by a smaller loop_count", nil, []loop.Event{turn(3)}, goesOn(1), "none"},
		{"a limit of one hands over at once", nil, []loop.Event{stop(worked(working), sessionLimit(1))}, handsOver(1), "none"},
		{"no limit never hands over", inSession(8), []loop.Event{stop(worked(working), loopCount(12))}, goesOn(9), "none"},
		{"a hand-edited session counts", inSession(4), []loop.Event{turn(0)}, handsOver(5), "none"},
		{"a session that cannot grow hands over", func(l *loop.State) { l.SessionIterations = 1<<63 - 1 }, []loop.Event{{}, old}, handsOver(1), "none"},

		{"a user message begins a session", nil, append(repeat(4, old), message, old), goesOn(5), "none"},
		{"a loop_count that starts anew begins one", inSession(4), []loop.Event{turn(3), turn(0)}, goesOn(6), "none"},
		{"a loop_count that starts anew begins at the first stop", nil, []loop.Event{stop(worked(working), loopCount(3)), stop(worked(working), sessionLimit(2))}, goesOn(2), "none"},
		{"a loop_count that stays begins none", inSession(3), []loop.Event{turn(0), turn(0)}, handsOver(5), "none"},
		{"the hand-over turn is answered once more where it is seen", nil, []loop.Event{turn(4), turn(5)}, handsOver(2), "none"},
		{"after the hand-over a user message goes on", nil, []loop.Event{turn(4), message, turn(0)}, goesOn(2), "none"},
		{"the promise goes before it", nil, []loop.Event{stop(worked(marker), sessionLimit(1))}, accepted(1), "accepted"},
		{"the limit of iterations goes before it", atMost(1), []loop.Event{stop(worked(working), sessionLimit(1))}, atMaximum(1), "none"},
	})
}

func TestOurOwnFollowupBeginsNoSession(t *testing.T) {
	c := newChat(t)
	turn := stop(worked(working), sessionLimit(3))
	own := c.do(turn).Text
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"our own follow-up", own, 1},
		{"our own with other spaces at its ends", "\r\n " + strings.TrimSpace(own) + "\n\n", 1},
		{"our own and more", own + "x", 0},
		{"the user's words", "go on", 0},
		{"no words", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			next, a := loop.Decide(c.l, loop.Event{Kind: loop.EventMessage, Text: tt.text}, began())
			a.Iteration = 0
			if next.SessionIterations != tt.want || a != (loop.Action{}) || c.l.IsOwn(tt.text) != (tt.want == 1) {
				t.Errorf("got %d %+v own %t want %d", next.SessionIterations, a, c.l.IsOwn(tt.text), tt.want)
			}
		})
	}
	if l := newLoop(); l.IsOwn("") || l.IsOwn(" ") {
		t.Error("no text counts as the follow-up of a loop that sent none")
	}
}

func TestTheSameStopTwice(t *testing.T) {
	first := stop(worked(working), generation("g"), loopCount(2))
	for _, tt := range []struct {
		name   string
		second loop.Event
		after  time.Duration
		counts bool
	}{
		{"at the same moment", first, 0, false},
		{"just within a second", first, time.Second - 1, false},
		{"a second later it is another", first, time.Second, true},
		{"by a clock that is behind", first, -time.Second + 1, false},
		{"by a clock that is far behind", first, -time.Second, true},
		{"of another turn", stop(worked(working), generation("h"), loopCount(2)), 0, true},
		{"with another count", stop(worked(working), generation("g"), loopCount(3)), 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			c.do(first)
			once := c.l
			c.now = began().Add(tt.after)
			a := c.do(tt.second)
			if got := c.l.Iterations == 2; got != tt.counts || got != (a.Kind == loop.Followup) {
				t.Errorf("got counted %t, %+v want %t", got, a, tt.counts)
			}
			if !tt.counts && a != (loop.Action{Reason: "same-stop", Iteration: a.Iteration}) {
				t.Errorf("got %+v", a)
			}
			once.EventAt = c.l.EventAt
			if diff := cmp.Diff(once, c.l); !tt.counts && diff != "" {
				t.Errorf("the second report changed something, -want +got:\n%s", diff)
			}
		})
	}
}

// The user may continue the loop at a terminal between the two copies of our hook.
func TestTheSecondReportOfAStopMayComeAfterAContinue(t *testing.T) {
	for _, idle := range []bool{false, true} {
		c := newChat(t)
		first := stop(worked(working), generation("g"), func(e *loop.Event) { e.Began = began() })
		c.all(first, loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{Idle: idle}})
		if a := c.do(first); a.Kind != loop.Rest || c.l.Iterations != 1 || c.l.SessionIterations != 0 {
			t.Errorf("idle %t: got %+v at iteration %d, %d of the session", idle, a, c.l.Iterations, c.l.SessionIterations)
		}
	}
}

// On a busy machine two copies of our hook begin seconds apart. Of the second the
// turn is empty: the first has folded it in.
func TestTheSameStopTwiceOnABusyMachine(t *testing.T) {
	again := []func(*loop.Event){generation("g"), loopCount(2)}
	for _, tt := range []struct {
		name   string
		second loop.Event
		after  time.Duration
		counts bool
	}{
		{"nothing was seen of the agent since", stop(loop.Turn{}, again...), 9 * time.Second, false},
		{"by a clock that is behind", stop(loop.Turn{}, again...), -9 * time.Second, false},
		{"long after", stop(loop.Turn{}, again...), 10 * time.Second, true},
		{"it said something", stop(talked("done"), again...), 2 * time.Second, true},
		{"it used a tool", stop(worked(working), again...), 2 * time.Second, true},
		{"our follow-up reached it", stop(loop.Turn{Followed: true}, again...), 2 * time.Second, true},
		{"nothing would be seen of it", stop(loop.Turn{}, append(slices.Clone(again), minimal)...), 2 * time.Second, true},
		{"with another count", stop(loop.Turn{}, generation("g"), loopCount(3)), 2 * time.Second, true},
		{"of another turn", stop(loop.Turn{}, generation("h"), loopCount(2)), 2 * time.Second, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			c.do(stop(worked(working), again...))
			c.now = began().Add(tt.after)
			if c.do(tt.second); (c.l.Iterations == 2) != tt.counts {
				t.Errorf("got %d iterations, want the second counted: %t", c.l.Iterations, tt.counts)
			}
		})
	}
	c := newChat(t)
	c.do(stop(worked(working), loopCount(2)))
	c.now = began().Add(2 * time.Second)
	if c.do(stop(loop.Turn{}, loopCount(2))); c.l.Iterations != 2 {
		t.Errorf("without a generation: got %d iterations, want 2", c.l.Iterations)
	}
}

func TestAStopWithAnotherStatusIsNoSecondReport(t *testing.T) {
	c := newChat(t)
	c.do(stop(worked(working), generation("g")))
	c.now = began()
	if c.do(stop(worked(working), generation("g"), status(loop.Aborted))); c.l.Status != loop.UserStopped {
		t.Errorf("got %s", c.l.Status)
	}
}

func TestALoopThatNeverStoppedSawNoStop(t *testing.T) {
	l, e := newLoop(), stop(worked(), status(""), generation(""))
	if l.SawStop(&e, time.Time{}) {
		t.Error("got a stop that was seen")
	}
}

func TestAStopThatIsAwaitedIsNoSecondReport(t *testing.T) {
	c := newChat(t, atMost(1))
	c.do(stop(worked(), generation("g")))
	c.now = began()
	if a := c.do(stop(worked(), generation("g"), waited)); c.l.Status != loop.MaxIterations {
		t.Errorf("got %+v, %s", a, c.l.Status)
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

func TestLateTextWithoutARecord(t *testing.T) {
	c := newChat(t, func(l *loop.State) {
		l.Status, l.EndedAt, l.LastStop.Generation, l.Iterations, l.ToolCalls = loop.MaxIterations, began(), "g", 20, 1
	})
	if c.do(loop.Event{Kind: loop.EventLateText, Generation: "g", Turn: talked(marker)}); c.l.Status != loop.PromiseAccepted {
		t.Errorf("got %s", c.l.Status)
	}
}

func TestLateTextMendsTheRecord(t *testing.T) {
	c := newChat(t, func(l *loop.State) {
		l.MaxIterations, l.NoWork, l.MaxDuration = 9, "warn", loop.Duration(15*time.Second)
	})
	c.all(stop(talked(working)), stop(talked(working)), stop(talked(), waited, generation("g")))
	a := c.do(loop.Event{Kind: loop.EventLateText, Generation: "g", Turn: talked(marker)})
	h := c.l.History[2]
	if h.Promise != "accepted" || h.Warning == "" || h.Refused != "" || c.l.Status != loop.PromiseAccepted || c.l.History[1].Promise != "none" {
		t.Errorf("got %+v, %s", h, c.l.Status)
	}
	if a.Why() != "promise accepted in a late text" || !strings.HasPrefix(a.Promise, "accepted with a warning") || !strings.HasPrefix(c.l.Reason, "promise accepted with a warning") {
		t.Errorf("got %+v, reason %q", a, c.l.Reason)
	}
	if !c.l.EndedAt.Equal(began().Add(30*time.Second)) || !c.l.EventAt.Equal(c.l.EndedAt) {
		t.Errorf("got ended %s, last event %s", c.l.EndedAt, c.l.EventAt)
	}
}

func TestHistory(t *testing.T) {
	c := newChat(t, atMost(3))
	first := worked(marker)
	first.Tools, first.Files, first.Errors = map[string]int{"Shell": 2, "Write": 1}, []string{"a.go"}, []string{"no such file"}
	c.l.MinIterations = 2
	c.do(loop.Event{Kind: loop.EventContext, Text: "Mind the gap."})
	c.all(stop(first), stop(talked(working), sessionLimit(1)), loop.Event{Kind: loop.EventContext, Text: "Not delivered."}, stop(talked(working)))
	at := func(s int) time.Time { return began().Add(time.Duration(s) * time.Second) }
	want := []loop.Iteration{
		{Number: 1, StartedAt: at(0), EndedAt: at(10), Seconds: 10, Promise: "refused", Refused: "this is iteration 1 and the loop runs for at least 2",
			Tools: map[string]int{"Shell": 2, "Write": 1}, Files: []string{"a.go"}, Errors: []string{"no such file"}, Context: []string{"Mind the gap."}, Action: "followup",
			Answer: marker, Progress: "yes"},
		{Number: 2, StartedAt: at(10), EndedAt: at(20), Seconds: 10, Promise: "none", Action: "hand-over", Answer: working},
		{Number: 3, StartedAt: at(20), EndedAt: at(40), Seconds: 20, Promise: "none", Action: "ended", Answer: working, Progress: "no"},
	}
	if diff := cmp.Diff(want, c.l.History); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Not delivered."}, c.l.Context); diff != "" {
		t.Errorf("context that was not delivered, -want +got:\n%s", diff)
	}
}

func TestTheLastFiftyIterationsAreKept(t *testing.T) {
	c := newChat(t, atMost(100))
	c.all(repeat(53, stop(worked(working)))...)
	older, l := c.l.Older()
	if n := len(l.History); n != 50 || l.History[0].Number != 4 || l.History[49].Number != 53 || len(older) != 3 || older[2].Number != 3 {
		t.Errorf("got %d records, from %d to %d, and %d older ones", n, l.History[0].Number, l.History[n-1].Number, len(older))
	}
	if older, l = l.Older(); len(older) != 0 || len(l.History) != 50 {
		t.Errorf("once more: got %d and %d records", len(older), len(l.History))
	}
}

func TestAHandOverSaysWhatItWaitsFor(t *testing.T) {
	c := newChat(t)
	if c.do(stop(worked(working), sessionLimit(1))); c.l.Reason != "Cursor's session limit is reached; type the continue line" {
		t.Errorf("got %q", c.l.Reason)
	}
	if c.do(stop(worked(working))); c.l.Reason != "" {
		t.Errorf("got %q when it runs again", c.l.Reason)
	}
}

func TestWhyIsToldForTheLog(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*loop.State)
		event  loop.Event
		want   string
	}{
		{"no promise", nil, stop(worked(working)), "no promise"},
		{"a refused one", atLeast(2), stop(worked(marker)), "promise refused"},
		{"a hand-over", nil, stop(worked(working), sessionLimit(1)), "no promise; session limit reached"},
		{"an accepted one", nil, stop(worked(marker)), "promise accepted"},
		{"the user", func(l *loop.State) { l.Stop = true }, stop(worked(marker)), "stopped by the user"},
		{"a limit", atMost(1), stop(worked(working)), "the limit of 1 iteration is reached"},
		{"a pause", func(l *loop.State) { l.Status, l.Reason = loop.Paused, "because" }, stop(worked(working)), "the loop is paused: because"},
		{"an unknown status", func(l *loop.State) { l.Status = "odd" }, stop(worked(working)), "this version does not know the status odd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if a := newChat(t, tt.change).do(tt.event); a.Why() != tt.want {
				t.Errorf("got %q want %q", a.Why(), tt.want)
			}
		})
	}
}

// TestTheSameStopTwiceAfterALongQuestion: one copy of our hook may have to ask
// longer than the other whether typing is possible.
func TestTheSameStopTwiceAfterALongQuestion(t *testing.T) {
	for _, tt := range []struct {
		name  string
		apart time.Duration // the beginnings of the two hooks
		want  int
	}{
		{"hooks that began at once", 10 * time.Millisecond, 1},
		{"hooks that began one after the other", 3 * time.Second, 2},
	} {
		c := newChat(t)
		e := stop(worked(working), generation("g"))
		e.Began = c.now
		c.do(e)
		e.Began = e.Began.Add(tt.apart)
		if c.do(e); c.l.Iterations != tt.want {
			t.Errorf("%s: got %d iterations, want %d", tt.name, c.l.Iterations, tt.want)
		}
	}
}
