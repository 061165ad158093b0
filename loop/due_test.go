package loop_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// started is a loop that was started at a terminal.
func started(l *loop.State) { *l = l.Started() }

// byMessage is a loop that a message began in loop mode.
func byMessage(l *loop.State) { *l = l.InLoopMode(l.Prompt, "g") }

// byLine is a loop that waits for its continue line after an iteration.
func byLine(l *loop.State) {
	l.Iterations, l.SessionIterations, l.Status, l.Context = 1, 1, loop.Waiting, []string{"mind the gap"}
	l.History = []loop.Iteration{{Number: 1}}
}

func TestTheTextThatIsDueComesBeforeATurnCounts(t *testing.T) {
	talk, turn, said := stop(talked(working)), stop(worked(working)), stop(worked(marker))
	started := func(more ...func(*loop.State)) func(*loop.State) {
		return func(l *loop.State) {
			started(l)
			for _, change := range more {
				change(l)
			}
		}
	}
	line, call := loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{FromLine: true}, Generation: "g"}, loop.Event{Kind: loop.EventContinue}
	talkIn, ownCall := stop(talked(working), generation("g")), stop(loop.TurnIn(lines(own(tool("t1", "Shell"))), nil), generation("g"))
	play(t, []rule{
		{"by the first stop, which does not count", started(), []loop.Event{talk}, goesOn(0), ""},
		{"and the next one does, whatever it is", started(), []loop.Event{talk, talk}, goesOn(1), "none"},
		{"not after a tool call", started(), []loop.Event{turn}, goesOn(1), "none"},
		{"also with a limit of one", started(atMost(1)), []loop.Event{talk}, goesOn(0), ""},
		{"which ends the first turn of its own", started(atMost(1)), []loop.Event{talk, turn}, atMaximum(1), "none"},
		{"not where the promise is given", started(needs(0, "reject")), []loop.Event{stop(talked(marker))}, accepted(1), "accepted"},
		{"not where it is given and refused", started(), []loop.Event{stop(talked(marker))}, goesOn(1), "refused: 0 of the 1"},
		{"not in a turn that the user stopped", started(), []loop.Event{stop(talked(working), status(loop.Aborted))}, stoppedAt(0), ""},
		{"not in one that failed", started(), []loop.Event{stop(talked(working), status(loop.Errored))}, pausedAt(0), ""},
		{"not while it is paused", started(), []loop.Event{{Kind: loop.EventPause}, talk}, pausedAt(0), ""},
		{"not after a stop by hand", started(func(l *loop.State) { l.Stop = true }), []loop.Event{talk}, stoppedAt(0), ""},
		{"by a hand-over at the session limit", started(), []loop.Event{stop(talked(working), sessionLimit(5), loopCount(4))}, handsOver(0), ""},
		{"by a typed line at the session limit", started(), []loop.Event{stop(talked(working), sessionLimit(5), loopCount(4), canType)}, outcome{loop.Inject, loop.Waiting, 0}, ""},
		{"by the line itself, and what was before counts no more", started(needs(2, "reject")),
			[]loop.Event{{Kind: loop.EventContinue, Turn: worked(marker)}, said}, goesOn(1), "refused: 1 of the 2"},
		{"not after a call that prints it", started(), []loop.Event{{Kind: loop.EventConfirm}, talk}, goesOn(1), "none"},
		{"and its follow-up is one of the session", started(), append([]loop.Event{stop(talked(working), sessionLimit(3))}, repeat(2, stop(worked(working), sessionLimit(3)))...), handsOver(2), "none"},

		{"loop mode: words alone", byMessage, []loop.Event{talkIn}, goesOn(0), ""},
		{"loop mode: a tool call", byMessage, []loop.Event{stop(worked(working), generation("g"))}, goesOn(1), "none"},

		{"a line: words alone", byLine, []loop.Event{line, talkIn}, goesOn(1), ""},
		{"a line: and the next turn counts", byLine, []loop.Event{line, talkIn, stop(talked(working), generation("g2"))}, goesOn(2), "none"},
		{"a line: a call of cursor-ralph alone", byLine, []loop.Event{line, ownCall}, goesOn(2), "none"},
		{"a line: the agent asked", byLine, []loop.Event{line, call, talkIn}, goesOn(2), "none"},
		{"a line: the time is up", func(l *loop.State) { byLine(l); l.MaxDuration = 1 }, []loop.Event{line, talkIn}, outOfTime(2), "none"},
		{"a line: the stop of the turn before", byLine, []loop.Event{line, stop(talked(working), generation("old"))}, runningAt(1), ""},
	})
}

// A promise in words that come after the stop of a message's own turn counts at the next one; in words of the turn before it never does.
func TestLateWordsOfAnUncountedTurn(t *testing.T) {
	for late, want := range map[string]outcome{"g": accepted(1), "old": goesOn(1)} {
		c := newChat(t, byMessage, needs(0, "reject"))
		c.decides(stop(c.read(late, in(late, text(working))), generation(late)))
		a := c.decides(stop(c.read("next", in(late, text(marker)), in("next", text(working))), generation("next"), loopCount(1)))
		if got := c.outcome(a); got != want {
			t.Errorf("late words of %s: got %+v (%s), want %+v", late, got, a.Why(), want)
		}
	}
}

// A line's text comes again with all that went with it.
func TestALinesTextComesAgain(t *testing.T) {
	c := newChat(t, byLine)
	first := c.do(loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{FromLine: true}, Generation: "g"})
	c.do(loop.Event{Kind: loop.EventContext, Text: "use tabs"})
	c.now = c.now.Add(2 * time.Minute)
	for name, a := range map[string]loop.Action{
		"the line": first, "the line once more, since nothing came": c.do(loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{FromLine: true}, Generation: "g"}),
		"the stop": c.do(stop(talked("What is that?"), generation("g"))),
	} {
		for _, part := range []string{"[Ralph loop 2/20] The user continues", "mind the gap"} {
			if !strings.Contains(a.Text, part) {
				t.Errorf("%s: got %q (%s), want %q in it", name, a.Text, a.Why(), part)
			}
		}
		if got := strings.Contains(a.Text, "use tabs"); got != (name == "the stop") {
			t.Errorf("%s: got the new context %v in %q", name, got, a.Text)
		}
	}
}

func canType(e *loop.Event) { e.Typing = loop.TypingPossible }

// requestedIn is a loop that the prompt hook has made in a turn.
func requestedIn(generation string) func(*loop.State) {
	return func(l *loop.State) { *l = l.Requested(generation) }
}

// read is a turn as its journal tells it.
func (c *chat) read(generation string, records ...loop.Record) loop.Turn {
	return c.l.TurnIn(lines(records...), &loop.Event{Kind: loop.EventStop, Generation: generation})
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
			c := newChat(t, requestedIn("new"))
			before := c.decides(stop(c.read("old", said...), status(s), generation("old")))
			if got := c.outcome(before); got != runningAt(0) || before.Text != "" {
				t.Fatalf("got %+v (%s), want nothing", got, before.Why())
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
	work, words := in("later", tool("t2", "Write")), in("later", text(working))
	for name, tt := range map[string]struct {
		events []loop.Event
		turn   []loop.Record
		want   outcome
	}{
		"after another message":        {[]loop.Event{{Kind: loop.EventMessage, Text: "go on", Generation: "later"}}, []loop.Record{work}, goesOn(1)},
		"after the line was continued": {[]loop.Event{{Kind: loop.EventContinue}}, []loop.Record{work}, goesOn(1)},
		"which confirmed it":           {[]loop.Event{{Kind: loop.EventConfirm}}, []loop.Record{in("later", own(tool("t1", "Shell"))), work}, goesOn(1)},
		"which worked":                 {nil, []loop.Record{work}, goesOn(0)},
		"which spoke":                  {nil, []loop.Record{words}, goesOn(0)},
		"of which nothing was seen":    {nil, nil, runningAt(0)},
		"beside the prompt's own":      {nil, []loop.Record{in("new", tool("t1", "Write")), work}, runningAt(0)},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(t, requestedIn("new"))
			c.all(tt.events...)
			a := c.decides(stop(c.read("later", tt.turn...), generation("later")))
			if got := c.outcome(a); got != tt.want {
				t.Errorf("got %+v (%s), want %+v", got, a.Why(), tt.want)
			}
		})
	}
	c := newChat(t, requestedIn("new"))
	c.do(loop.Event{Kind: loop.EventMessage, Text: "another message of that turn", Generation: "new"})
	if a := c.decides(stop(talked(working), generation("old"))); c.l.Iterations != 0 {
		t.Errorf("got %d iterations (%s), want the old turn's stop to be known", c.l.Iterations, a.Why())
	}
}

// Where all turns have one generation, a stop after which nothing was called may be that of the turn before.
func TestOneGenerationForAllTurns(t *testing.T) {
	requested := func(l *loop.State) { l.ConversationID = "c1"; *l = l.Requested("c1") }
	talk, turn := stop(talked(marker), generation("c1")), stop(worked(working), generation("c1"))
	play(t, []rule{
		{"words alone", requested, []loop.Event{talk}, goesOn(0), ""},
		{"and again", requested, []loop.Event{talk, talk}, goesOn(1), "refused: 0 of the 1"},
		{"a tool call", requested, []loop.Event{turn}, goesOn(1), "none"},
		{"a call that confirms it", requested, []loop.Event{{Kind: loop.EventConfirm}, talk}, goesOn(1), "refused: 0 of the 1"},
		{"the user's Stop", requested, []loop.Event{stop(talked(marker), generation("c1"), status(loop.Aborted))}, stoppedAt(0), ""},
	})
}

// Whatever is seen of the turn before after the message, its stop neither counts nor ends the loop, and the next one counts,
// also where late words of the turn before come between the two. Where all turns have one generation, a tool call of the turn before
// that comes after the message looks like a call of the loop, and counts.
func TestTheTurnBeforeInEveryOrder(t *testing.T) {
	requested := func(g string) func(*loop.State) { return requestedIn(g) }
	inLoopMode := func(g string) func(*loop.State) {
		return func(l *loop.State) { *l = l.InLoopMode(l.Prompt, g) }
	}
	for kind, begin := range map[string]func(string) func(*loop.State){"a request": requested, "a message in loop mode": inLoopMode} {
		for _, old := range []string{"old", "c1"} {
			now := strings.Replace(old, "old", "new", 1)
			promise, work := in(old, text(marker)), in(old, tool("t1", "Write"))
			tails := [][]loop.Record{{}, {promise}}
			if old != now {
				tails = append(tails, []loop.Record{work}, []loop.Record{work, promise})
			} else if kind != "a request" {
				tails = tails[:1] // a promise is judged all the same
			}
			for n, tail := range tails {
				t.Run(fmt.Sprintf("%s, generation %s, %d", kind, now, n), func(t *testing.T) {
					c := newChat(t, begin(now), func(l *loop.State) { l.ConversationID = "c1" })
					journal := tail
					a := c.decides(stop(c.read(old, journal...), generation(old)))
					if c.l.Iterations != 0 || c.l.Status != loop.Running {
						t.Fatalf("the stop before: got iteration %d, %s (%s)", c.l.Iterations, c.l.Status, a.Why())
					}
					if a.Text != "" { // the turn was taken in
						journal = nil
					}
					if old != now {
						journal = append(journal, promise)
					}
					journal = append(journal, in(now, tool("t2", "Write")), in(now, text(working)))
					a = c.decides(stop(c.read(now, journal...), generation(now), loopCount(1)))
					if c.l.Iterations != 1 || c.l.ToolCalls != 1 || a.Promise != "none" {
						t.Errorf("the loop's stop: got iteration %d, %d tool calls, promise %s (%s)", c.l.Iterations, c.l.ToolCalls, a.Promise, a.Why())
					}
				})
			}
		}
	}
}
