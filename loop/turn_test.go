package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// taskDue is a loop that was started at a terminal.
func taskDue(l *loop.State) { l.ArmedBy, l.Confirmed, l.TaskDue = "cli", true, true }

func TestAnAgentGetsItsTaskBeforeATurnCounts(t *testing.T) {
	turn, said := stop(worked(working)), stop(worked(marker))
	due := func(more ...func(*loop.State)) func(*loop.State) {
		return func(l *loop.State) {
			taskDue(l)
			for _, change := range more {
				change(l)
			}
		}
	}
	play(t, []rule{
		{"by the first stop, which does not count", taskDue, []loop.Event{turn}, goesOn(0), ""},
		{"and the next one does", taskDue, []loop.Event{turn, turn}, goesOn(1), "none"},
		{"also with a limit of one", due(atMost(1)), []loop.Event{turn}, goesOn(0), ""},
		{"which ends the first turn of its own", due(atMost(1)), []loop.Event{turn, turn}, atMaximum(1), "none"},
		{"whatever was promised before", taskDue, []loop.Event{said}, goesOn(0), ""},
		{"and what was promised then counts no more", taskDue, []loop.Event{said, turn}, goesOn(1), "none"},
		{"whatever was done before", due(needs(2, "reject")), []loop.Event{turn, said}, goesOn(1), "refused: 1 of the 2"},
		{"not by a turn that the user stopped, which ends nothing", taskDue, []loop.Event{stop(worked(working), status(loop.Aborted))}, runningAt(0), ""},
		{"nor by one that failed", taskDue, []loop.Event{stop(worked(working), status(loop.Errored))}, runningAt(0), ""},
		{"but by the one after it", taskDue, []loop.Event{stop(worked(working), status(loop.Aborted)), turn}, goesOn(0), ""},
		{"not while it is paused", taskDue, []loop.Event{{Kind: loop.EventPause}, turn}, pausedAt(0), ""},
		{"not after a stop by hand", due(func(l *loop.State) { l.Stop = true }), []loop.Event{turn}, stoppedAt(0), ""},
		{"by a hand-over at the session limit", taskDue, []loop.Event{stop(worked(working), sessionLimit(5), loopCount(4))}, handsOver(0), ""},
		{"by a typed line at the session limit", taskDue, []loop.Event{stop(worked(working), sessionLimit(5), loopCount(4), canType)},
			outcome{loop.Inject, loop.Waiting, 0}, ""},
		{"by the typed line itself, and what was before counts no more", due(needs(2, "reject")),
			[]loop.Event{{Kind: loop.EventContinue, Turn: worked(marker)}, said}, goesOn(1), "refused: 1 of the 2"},
		{"by a call that confirms it", taskDue, []loop.Event{{Kind: loop.EventConfirm}, turn}, goesOn(1), "none"},
		{"and its follow-up is one of the session", taskDue, append([]loop.Event{stop(worked(working), sessionLimit(3))}, repeat(2, stop(worked(working), sessionLimit(3)))...), handsOver(2), "none"},
	})
}

func canType(e *loop.Event) { e.Typing = loop.TypingPossible }

// What the workspace looked like before counts as before.
func TestWhatChangedBeforeTheTaskIsNoneOfTheLoops(t *testing.T) {
	c := newChat(t, taskDue, func(l *loop.State) { l.Tree = loop.Tree{Root: "/w", Print: "a"} })
	c.do(stop(worked(working), tree("b")))
	c.do(stop(talked(working), tree("b")))
	if h := c.l.History; len(h) != 1 || h[0].Number != 1 || h[0].Progress != "no" || len(h[0].Tools) != 0 {
		t.Errorf("got %+v, want one record without progress", h)
	}
}

func tree(print string) func(*loop.Event) {
	return func(e *loop.Event) { e.Tree = loop.Tree{Root: "/w", Print: print} }
}

// askedIn is a loop that the prompt hook has armed in a turn.
func askedIn(generation string) func(*loop.State) {
	return func(l *loop.State) { l.ArmedBy, l.AskedIn, l.CreatedAt = "prompt", generation, began() }
}

// read is a turn as its journal tells it.
func (c *chat) read(generation string, records ...loop.Record) loop.Turn {
	return c.l.Fold(lines(records...), &loop.Event{Kind: loop.EventStop, Generation: generation})
}

func in(generation string, r loop.Record) loop.Record {
	r.Generation = generation
	return r
}

// The stop of the turn before may come after the prompt that asks for a loop.
func TestATurnThatBeganBeforeTheLoop(t *testing.T) {
	said := []loop.Record{in("old", text(marker)), in("old", tool("t1", "Write")), in("new", tool("t2", "Shell"))}
	for _, s := range []loop.StopStatus{loop.Completed, loop.Aborted, loop.Errored} {
		t.Run(string(s), func(t *testing.T) {
			c := newChat(t, askedIn("new"))
			for range 2 { // our hook may be installed twice
				a := c.decides(stop(c.read("old", said...), status(s), generation("old")))
				if got := c.outcome(a); got != runningAt(0) || a.Text != "" {
					t.Fatalf("got %+v (%s), want nothing", got, a.Why())
				}
			}
			c.decides(stop(c.read("new", append(said, in("new", text(working)))...), generation("new")))
			if h := c.l.History; c.l.Iterations != 1 || c.l.ToolCalls != 1 || len(h) != 1 || h[0].Promise != "none" || h[0].Tools["Write"] != 0 {
				t.Errorf("got %d iterations, %d tool calls, %+v", c.l.Iterations, c.l.ToolCalls, h)
			}
			a := c.decides(stop(worked(working), generation("old"))) // whatever it is called: its turns are the loop's now
			if got := c.outcome(a); got != goesOn(2) {
				t.Errorf("got %+v (%s), want it counted", got, a.Why())
			}
		})
	}
}

// What else shows that a turn is the loop's.
func TestATurnOfAnotherGenerationThatIsTheLoops(t *testing.T) {
	slash := in("later", own(tool("t1", "Shell")))
	for name, tt := range map[string]struct {
		events []loop.Event
		turn   []loop.Record
	}{
		"after another message":                         {[]loop.Event{{Kind: loop.EventMessage, Text: "go on", Generation: "later"}}, nil},
		"after the line was continued":                  {[]loop.Event{{Kind: loop.EventContinue}}, nil},
		"where the prompt hook got another one":         {[]loop.Event{{Kind: loop.EventConfirm}}, []loop.Record{slash}},
		"which the stop has alone, and cannot be known": {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(t, askedIn("new"))
			c.all(tt.events...)
			c.decides(stop(c.read("later", append(tt.turn, in("later", tool("t2", "Write")))...), generation("later")))
			if want := len(tt.events); c.l.Iterations != want || c.l.ToolCalls != want {
				t.Errorf("got %d iterations, %d tool calls, want %d", c.l.Iterations, c.l.ToolCalls, want)
			}
		})
	}
	c := newChat(t, askedIn("new"))
	c.do(loop.Event{Kind: loop.EventMessage, Text: "the second copy's report", Generation: "new"})
	if a := c.decides(stop(talked(working), generation("old"))); c.l.Iterations != 0 {
		t.Errorf("got %d iterations (%s), want the old turn's stop to be known", c.l.Iterations, a.Why())
	}
}

// In a Cursor whose turns are all of one generation, time has to tell.
func TestATurnThatBeganBeforeTheLoopWithoutAGeneration(t *testing.T) {
	const one = "c1" // the conversation's id
	end := func(turn loop.Turn, s loop.StopStatus) loop.Event { return stop(turn, status(s), generation(one)) }
	soon := func(c *chat) { c.now = began().Add(time.Second) }

	t.Run("one that completed brings the task, and its promise does not count", func(t *testing.T) {
		c := newChat(t, askedIn(one), needs(0, "accept"))
		soon(c)
		a := c.decides(end(talked(marker), loop.Completed))
		if got := c.outcome(a); got != goesOn(0) || !strings.HasPrefix(a.Text, "[Ralph loop 1/20] This task") {
			t.Errorf("got %+v, %q", got, a.Text)
		}
		if a = c.decides(end(talked(marker), loop.Completed)); c.outcome(a) != accepted(1) {
			t.Errorf("got %+v (%s), want the promise of its own turn", c.outcome(a), a.Why())
		}
	})
	t.Run("the next turn is not taken for it, however short it is", func(t *testing.T) {
		c := newChat(t, askedIn(one))
		soon(c)
		c.decides(end(loop.Turn{}, loop.Completed))
		c.now = began().Add(time.Second + 200*time.Millisecond)
		if a := c.decides(end(c.read(one, tool("t1", "Shell")), loop.Completed)); c.outcome(a) != goesOn(1) {
			t.Errorf("got %+v (%s), want it counted", c.outcome(a), a.Why())
		}
	})
	for _, s := range []loop.StopStatus{loop.Aborted, loop.Errored} {
		t.Run("one that was "+string(s)+" pauses the loop until the agent is seen", func(t *testing.T) {
			c := newChat(t, askedIn(one))
			soon(c)
			if a := c.decides(end(loop.Turn{}, s)); c.outcome(a) != pausedAt(0) {
				t.Fatalf("got %+v (%s)", c.outcome(a), a.Why())
			}
			c.now = c.now.Add(time.Minute)
			if a := c.decides(end(worked(working), loop.Completed)); c.outcome(a) != goesOn(1) {
				t.Errorf("got %+v (%s), want it counted", c.outcome(a), a.Why())
			}
		})
		t.Run("one that was "+string(s)+" for good stays paused", func(t *testing.T) {
			c := newChat(t, askedIn(one))
			soon(c)
			c.decides(end(loop.Turn{}, s))
			c.do(loop.Event{Kind: loop.EventMessage, Text: "what now?", Generation: one})
			if a := c.decides(end(worked(working), loop.Completed)); c.outcome(a) != pausedAt(0) {
				t.Errorf("got %+v (%s), want it paused", c.outcome(a), a.Why())
			}
		})
	}
	for name, tt := range map[string]struct {
		change func(*chat)
		turn   loop.Turn
		want   outcome
	}{
		"later":                          {func(c *chat) { c.now = began().Add(3 * time.Second) }, talked(working), goesOn(1)},
		"after a call":                   {soon, worked(working), goesOn(1)},
		"after the agent confirmed it":   {func(c *chat) { soon(c); c.l.Confirmed = true }, talked(working), goesOn(1)},
		"of a loop that nobody prompted": {func(c *chat) { soon(c); c.l.AskedIn = "" }, talked(working), goesOn(1)},
	} {
		t.Run(name+" it is the loop's", func(t *testing.T) {
			c := newChat(t, askedIn(one))
			tt.change(c)
			if a := c.decides(end(tt.turn, loop.Completed)); c.outcome(a) != tt.want {
				t.Errorf("got %+v (%s), want %+v", c.outcome(a), a.Why(), tt.want)
			}
		})
	}
}

// A turn is over with its stop, or with the next message, also where all are of
// one generation.
func TestAContinueIsOneOfEachTurn(t *testing.T) {
	goOn := loop.Event{Kind: loop.EventContinue, Generation: "c1"}
	for name, next := range map[string]loop.Event{
		"a stop": stop(worked(working), generation("c1")), "a message": {Kind: loop.EventMessage, Text: "well", Generation: "c1"},
	} {
		c := newChat(t)
		c.all(stop(worked(working), generation("c1")), goOn, loop.Event{Kind: loop.EventPause})
		if a := c.do(goOn); c.l.Status != loop.Paused || a.Text == "" {
			t.Fatalf("in the same turn: got %s, %q, want the pause to hold", c.l.Status, a.Text)
		}
		c.all(next, goOn)
		if c.l.Status != loop.Running {
			t.Errorf("after %s: got %s (%s), want it to go on", name, c.l.Status, c.l.Reason)
		}
	}
}

// What is said in a later turn is not of the loop that a limit ended.
func TestALateTextIsOfTheLastTurn(t *testing.T) {
	late := loop.Event{Kind: loop.EventLateText, Generation: "c1", Turn: talked("I did not write " + marker + ".")}
	message := func(g string) loop.Event { return loop.Event{Kind: loop.EventAfterEnd, Generation: g} }
	over := loop.Event{Kind: loop.EventAfterEnd, Generation: "c1", Stop: loop.Stop{Status: loop.Completed}}
	last := stop(worked(), waited, generation("c1"))
	play(t, []rule{
		{"it counts", atMost(1), []loop.Event{last, late}, accepted(1), "accepted"},
		{"also after the second copy's report of its stop", atMost(1), []loop.Event{last, over, late}, accepted(1), "accepted"},
		{"and before a message of another generation, which comes first", atMost(1), []loop.Event{last, message("c2"), late}, accepted(1), "accepted"},
		{"not after a message of the same generation", atMost(1), []loop.Event{last, message("c1"), late}, atMaximum(1), ""},
	})
}
