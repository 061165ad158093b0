package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func injects(i int) outcome { return outcome{loop.Inject, loop.Waiting, i} }
func asks(i int) outcome    { return outcome{loop.AskTyping, loop.Running, i} }

// atSessionLimit is a stop at which the continue line may have to be typed.
func atSessionLimit(typing loop.Typing, said string) loop.Event {
	return stop(worked(said), func(e *loop.Event) { e.SessionLimit, e.Typing = 1, typing })
}

func TestWhoBringsTheAgentBackAtTheSessionLimit(t *testing.T) {
	unknown, possible := atSessionLimit("", working), atSessionLimit(loop.TypingPossible, working)
	cancel := loop.Event{Kind: loop.EventCancel}
	play(t, []rule{
		{"it is asked whether typing is possible", nil, []loop.Event{unknown}, asks(0), ""},
		{"where it is, the line is typed", nil, []loop.Event{possible}, injects(1), "none"},
		{"where it is not, the user types", nil, []loop.Event{atSessionLimit(loop.TypingImpossible, working)}, handsOver(1), "none"},
		{"the question changes nothing", nil, []loop.Event{unknown, unknown, possible}, injects(1), "none"},
		{"the promise goes before it", nil, []loop.Event{atSessionLimit("", marker)}, accepted(1), "accepted"},
		{"the limit of iterations goes before it", atMost(1), []loop.Event{unknown}, atMaximum(1), "none"},
		{"a cancel goes before it", nil, []loop.Event{possible, cancel}, outcome{loop.Rest, loop.Cancelled, 1}, ""},
		{"without a limit nobody asks", nil, []loop.Event{stop(worked(working), loopCount(9))}, goesOn(1), "none"},
	})
}

// TestTheSessionBeginsWithTheEvidence: not with the hope for it.
func TestTheSessionBeginsWithTheEvidence(t *testing.T) {
	typed := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c1"}}
	line := loop.Event{Kind: loop.EventMessage, Text: loop.ContinueLine("c1")}
	for _, tt := range []struct {
		name    string
		events  []loop.Event
		outcome loop.LineOutcome
		session int
		status  loop.Status
	}{
		{"nothing was seen", nil, "", 1, loop.Waiting},
		{"the line was seen", []loop.Event{typed, line}, loop.Arrived, 0, loop.Waiting},
		{"the line was seen with the command's text around it", []loop.Event{{Kind: loop.EventMessage, Text: "Do this: --continue c1"}}, "", 0, loop.Waiting},
		{"the agent asked for the continuation", []loop.Event{{Kind: loop.EventContinue}}, loop.Arrived, 0, loop.Running},
		{"the user was faster", []loop.Event{{Kind: loop.EventMessage, Text: "Wait."}}, "the user sent a message first", 0, loop.Waiting},
		{"a message that only resembles it", []loop.Event{{Kind: loop.EventMessage, Text: "--continue c2"}}, "the user sent a message first", 0, loop.Waiting},
		{"a turn ended meanwhile", []loop.Event{stop(worked(working))}, "a turn ended before the line arrived", 2, loop.Running},
		{"the user pressed Stop", []loop.Event{stop(worked(), status(loop.Aborted))}, "a turn ended before the line arrived", 1, loop.UserStopped},
		{"the user paused", []loop.Event{{Kind: loop.EventPause}}, "paused by the user", 1, loop.Paused},
		{"and resumed", []loop.Event{{Kind: loop.EventPause}, {Kind: loop.EventResume}}, "paused by the user", 1, loop.Waiting},
		{"the user cancelled", []loop.Event{{Kind: loop.EventCancel}}, "the loop ended", 1, loop.Cancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			c.do(atSessionLimit(loop.TypingPossible, working))
			id := c.l.Injection.ID
			c.all(tt.events...)
			if c.l.Injection.Outcome != tt.outcome || c.l.SessionIterations != tt.session || c.l.Status != tt.status {
				t.Errorf("got %q, session %d, %s; want %q, %d, %s",
					c.l.Injection.Outcome, c.l.SessionIterations, c.l.Status, tt.outcome, tt.session, tt.status)
			}
			if wants := c.l.Injecting(id, c.now); wants != (tt.outcome == "") {
				t.Errorf("got that the loop waits for it: %v", wants)
			}
		})
	}
}

func TestAnInjectionIsWantedBeforeEachKey(t *testing.T) {
	c := newChat(t)
	c.do(atSessionLimit(loop.TypingPossible, working))
	id := c.l.Injection.ID
	stopped := c.l
	stopped.Stop = true
	byHand, _ := loop.Decide(newLoop(), loop.Event{Kind: loop.EventInject}, c.now)
	byHandStopped := byHand
	byHandStopped.Stop = true
	overStop, _ := loop.Decide(newLoop(func(l *loop.State) { l.Stop = true }), loop.Event{Kind: loop.EventInject}, c.now)
	for _, tt := range []struct {
		name string
		l    loop.State
		id   string
		now  time.Time
		want bool
	}{
		{"it is", c.l, id, c.now, true},
		{"another one is not", c.l, "i0", c.now, false},
		{"by hand, whatever the status", byHand, byHand.Injection.ID, c.now, true},
		{"by hand, but stopped since", byHandStopped, byHand.Injection.ID, c.now, false},
		{"by hand, over an earlier stop", overStop, overStop.Injection.ID, c.now, true},
		{"none is not", loop.State{Status: loop.Waiting}, "", c.now, false},
		{"a stop by hand", stopped, id, c.now, false},
		{"long after its process was killed", c.l, id, c.now.Add(3 * time.Minute), false},
		{"after the clock was set back", c.l, id, c.now.Add(-time.Hour), false},
	} {
		if got := tt.l.Injecting(tt.id, tt.now); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

func TestTheLineInAnotherChat(t *testing.T) {
	elsewhere := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c2"}}
	c := newChat(t)
	c.do(atSessionLimit(loop.TypingPossible, working))
	action := c.do(elsewhere)
	if action.Kind != loop.Refuse || !strings.Contains(c.l.Reason, "another chat was in front") || c.l.Status != loop.Waiting {
		t.Errorf("got %+v and %s: %s, want that it is kept back there", action, c.l.Status, c.l.Reason)
	}
	if in := c.l.TypedIn(c.now); in != "" {
		t.Errorf("got that the loop goes on in %q", in)
	}
	c.now = c.now.Add(-10*time.Second + 50*time.Millisecond) // our hook is installed twice
	if action := c.do(elsewhere); action.Kind != loop.Refuse || c.l.TypedIn(c.now) != "" {
		t.Errorf("the second report: got %+v", action)
	}
	if action := c.do(elsewhere); action.Kind != loop.Rest || c.l.TypedIn(c.now) != "c2" {
		t.Errorf("typed there by hand, later: got %+v, in %q, want that the loop goes on there", action, c.l.TypedIn(c.now))
	}
}

func TestAHandRunInjection(t *testing.T) {
	inject := loop.Event{Kind: loop.EventInject}
	pause := loop.Event{Kind: loop.EventPause}
	stopByHand := func(l *loop.State) { l.Stop = true }
	play(t, []rule{
		{"of a running loop", nil, []loop.Event{inject}, outcome{loop.Inject, loop.Running, 0}, ""},
		{"of a paused loop, which stays paused", nil, []loop.Event{pause, inject}, outcome{loop.Inject, loop.Paused, 0}, ""},
		{"of a paused loop, when the line arrives", nil, []loop.Event{pause, inject, {Kind: loop.EventContinue}}, outcome{loop.Followup, loop.Running, 0}, ""},
		{"of a stopped loop", stopByHand, []loop.Event{inject}, outcome{loop.Inject, loop.Running, 0}, ""},
		{"of a stopped loop that does not work out", stopByHand, []loop.Event{inject, stop(worked(working))}, stoppedAt(0), ""},
		{"one at a time", nil, []loop.Event{inject, inject}, outcome{loop.Refuse, loop.Running, 0}, ""},
		{"beside one of the hook's", nil, []loop.Event{atSessionLimit(loop.TypingPossible, working), inject}, outcome{loop.Refuse, loop.Waiting, 1}, ""},
		{"after one that arrived", nil, []loop.Event{inject, {Kind: loop.EventContinue}, inject}, outcome{loop.Inject, loop.Running, 0}, ""},
		{"of an ended loop", nil, []loop.Event{{Kind: loop.EventCancel}, inject}, outcome{loop.Rest, loop.Cancelled, 0}, ""},
	})
}

func TestHowTheTypingWentIsInTheHistory(t *testing.T) {
	report := func(c *chat, outcome loop.LineOutcome) loop.Event {
		return loop.Event{Kind: loop.EventInjected, Injected: loop.Injected{Injection: loop.Injection{
			ID: c.l.Injection.ID, Outcome: outcome, Method: "xtest", Milliseconds: 61, Tries: []string{"robotgo: not built"},
		}}}
	}
	for _, tt := range []struct {
		name    string
		between []loop.Event
		report  loop.LineOutcome
		want    loop.LineOutcome
		reason  string
	}{
		{"it arrived", []loop.Event{{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c1"}}}, loop.Arrived, loop.Arrived, "the continue line arrived; the agent continues the loop"},
		{"what was seen counts, not what the typer thinks", []loop.Event{{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c1"}}}, "no evidence", loop.Arrived, "the continue line arrived; the agent continues the loop"},
		{"the loop went on before the report", []loop.Event{{Kind: loop.EventContinue}, stop(worked(working))}, loop.Arrived, loop.Arrived, ""},
		{"it failed", nil, "there is no window", "there is no window", "typing the continue line did not work (there is no window); type it yourself"},
		{"the loop was cancelled meanwhile", []loop.Event{{Kind: loop.EventCancel}}, "cancelled", "the loop ended", "cancelled by the user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			c.do(atSessionLimit(loop.TypingPossible, working))
			e := report(c, tt.report)
			before := c.l
			c.all(tt.between...)
			c.do(e)
			if len(before.History) != 1 || before.History[0].Injections != nil {
				t.Fatalf("the state before has changed: %+v", before.History)
			}
			want := e.Injection
			want.Outcome, want.Iteration = tt.want, 1
			all := c.l.History[0].Injections
			if len(all) != 1 {
				t.Fatalf("got %d in the history, want it once", len(all))
			}
			got := all[0]
			want.OpenedAt, want.ClosedAt = got.OpenedAt, got.ClosedAt
			if diff := cmp.Diff(want, got); diff != "" || got.ClosedAt.IsZero() {
				t.Errorf("-want +got:\n%s", diff)
			}
			if c.l.Reason != tt.reason {
				t.Errorf("got the reason %q, want %q", c.l.Reason, tt.reason)
			}
		})
	}
	t.Run("the next one began before the report", func(t *testing.T) {
		c := newChat(t)
		c.do(atSessionLimit(loop.TypingPossible, working))
		e := report(c, loop.Arrived)
		c.all(loop.Event{Kind: loop.EventContinue}, atSessionLimit(loop.TypingPossible, working))
		next := c.l.Injection
		if i, ok := c.l.InjectionOf(e.Injection.ID); !ok || i.Outcome != loop.Arrived {
			t.Errorf("got %+v, %v, want that it arrived", i, ok)
		}
		c.do(e)
		if all := c.l.History[0].Injections; len(all) != 1 || all[0].Method != "xtest" || all[0].Outcome != loop.Arrived {
			t.Errorf("got %+v", all)
		}
		if diff := cmp.Diff(next, c.l.Injection); diff != "" || c.l.History[1].Injections != nil {
			t.Errorf("the next one has changed: -want +got:\n%s", diff)
		}
	})
	t.Run("two after one iteration", func(t *testing.T) {
		c := newChat(t)
		c.do(atSessionLimit(loop.TypingPossible, working))
		c.do(report(c, "there is no window"))
		c.do(loop.Event{Kind: loop.EventInject})
		c.do(report(c, "nobody saw it"))
		if all := c.l.History[0].Injections; len(all) != 2 || all[0].Outcome != "there is no window" || all[1].Outcome != "nobody saw it" {
			t.Errorf("got %+v, want both", all)
		}
	})
	t.Run("of another injection", func(t *testing.T) {
		c := newChat(t)
		c.do(atSessionLimit(loop.TypingPossible, working))
		e := report(c, "failed")
		e.Injection.ID = "i0"
		c.do(e)
		if c.l.Injection.Outcome != "" || c.l.History[0].Injections != nil {
			t.Errorf("got %+v, want that it changes nothing", c.l.Injection)
		}
	})
}

// TestWhyALoopWaits: the reason that the user is shown is that of this moment.
func TestWhyALoopWaits(t *testing.T) {
	inTurn := loop.Event{Kind: loop.EventInject}
	atLimit := atSessionLimit(loop.TypingPossible, working)
	elsewhere := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c2"}}
	here := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c1"}}
	pause := loop.Event{Kind: loop.EventPause}
	for _, tt := range []struct {
		name   string
		events []loop.Event
		want   string
	}{
		{"while it is typed", []loop.Event{atLimit}, "the continue line is being typed into Cursor"},
		{"it arrived", []loop.Event{atLimit, here}, "the continue line arrived; the agent continues the loop"},
		{"it came to another chat", []loop.Event{atLimit, elsewhere}, "typing the continue line did not work (another chat was in front, and the line was kept back there); type it yourself"},
		{"the user was faster", []loop.Event{atLimit, {Kind: loop.EventMessage, Text: "Wait."}}, "a message of the user came first; the loop goes on when the agent stops"},
		{"a running loop does not wait", []loop.Event{inTurn, elsewhere}, ""},
		{"nor does a paused one", []loop.Event{pause, inTurn, elsewhere}, ""},
		{"a paused one is still paused until the agent asks", []loop.Event{pause, inTurn, here}, ""},
	} {
		c := newChat(t)
		c.all(tt.events...)
		if c.l.Reason != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, c.l.Reason, tt.want)
		}
	}
	t.Run("a report after the user was faster", func(t *testing.T) {
		c := newChat(t)
		c.all(atLimit, loop.Event{Kind: loop.EventMessage, Text: "Wait."})
		was := c.l.Reason
		c.do(loop.Event{Kind: loop.EventInjected, Injected: loop.Injected{Injection: loop.Injection{ID: c.l.Injection.ID, Outcome: "not wanted any more"}}})
		if c.l.Reason != was {
			t.Errorf("got %q, want %q", c.l.Reason, was)
		}
	})
}

// TestAKilledTyperIsNoEvidence: what is closed long after is not called arrived.
func TestAKilledTyperIsNoEvidence(t *testing.T) {
	c := newChat(t)
	c.do(atSessionLimit(loop.TypingPossible, working))
	c.now = c.now.Add(time.Hour)
	c.do(loop.Event{Kind: loop.EventContinue})
	if got := c.l.Injection.Outcome; got != "nothing was reported about it" || c.l.Status != loop.Running {
		t.Errorf("got %q and %s", got, c.l.Status)
	}
}

func TestPastLimit(t *testing.T) {
	then := func(l loop.State, events ...loop.Event) loop.State {
		for i, e := range events {
			l, _ = loop.Decide(l, e, began().Add(time.Duration(i+1)*time.Minute))
		}
		return l
	}
	answered := func(count int) loop.State {
		l, _ := loop.Decide(newLoop(), stop(worked(working), loopCount(count)), began())
		return l
	}
	fifth := func(changes ...func(*loop.Event)) loop.Event {
		return stop(worked(working), append(changes, loopCount(4))...)
	}
	paused := newLoop()
	paused.LastStop.LoopCount = 4
	for _, tt := range []struct {
		name string
		l    loop.State
		turn loop.Turn
		want bool
	}{
		{"a turn after the fifth follow-up", answered(4), worked(), true},
		{"late words of the turn before", answered(4), loop.Turn{Texts: []string{"I go on."}}, false},
		{"the turn of a stop that failed", then(answered(3), fifth(status(loop.Errored))), worked(), false},
		{"the turn of a stop at which the loop was paused", then(answered(3), loop.Event{Kind: loop.EventPause}, fifth()), worked(), false},
		{"continued meanwhile", then(answered(4), loop.Event{Kind: loop.EventContinue}), worked(), false},
		{"a fifth stop that handed over", then(answered(3), fifth(sessionLimit(5))), worked(), false},
		{"a message before it, of the user", then(answered(4), loop.Event{Kind: loop.EventMessage, Text: "hello"}), worked(), true},
		{"the follow-up was seen", answered(4), loop.Turn{Followed: true}, true},
		{"the follow-up never reached the agent", answered(4), loop.Turn{}, false},
		{"after the fourth", answered(3), worked(), false},
		{"after a sixth, which a limited Cursor does not give", answered(5), worked(), false},
		{"no follow-up was given", paused, worked(), false},
	} {
		if got := tt.l.PastLimit(5, tt.turn); got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

// pausedWhile plays a session's end, what comes then, and a pause.
func pausedWhile(t *testing.T, under ...loop.Event) *chat {
	c := newChat(t)
	c.all(stop(worked(working), func(e *loop.Event) { e.SessionLimit, e.Typing = 1, loop.TypingPossible }))
	c.all(under...)
	c.do(loop.Event{Kind: loop.EventPause})
	c.now = c.now.Add(-9 * time.Second) // a moment after the pause
	return c
}

func TestAPauseHoldsAgainstALineThatIsUnderWay(t *testing.T) {
	arrived := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c1"}}
	elsewhere := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c2"}}
	asked := elsewhere
	asked.Asked = true
	agent, resume := goOn(loop.Turn{}), loop.Event{Kind: loop.EventResume}
	for _, tt := range []struct {
		name   string
		before []loop.Event // since the injection began
		after  []loop.Event // since the pause
		later  time.Duration
		want   outcome
	}{
		{"it was sent before", nil, []loop.Event{arrived}, 0, outcome{loop.Refuse, loop.Paused, 1}},
		{"both copies of our hook keep it back", nil, []loop.Event{arrived, arrived}, 0, outcome{loop.Refuse, loop.Paused, 1}},
		{"a hook that is shown another text does not see it", nil, []loop.Event{agent}, 0, outcome{loop.Refuse, loop.Paused, 1}},
		{"it had come", []loop.Event{arrived}, []loop.Event{agent}, 0, outcome{loop.Refuse, loop.Paused, 1}},
		{"it had come, and the agent is slow", []loop.Event{arrived}, []loop.Event{agent}, time.Hour, outcome{loop.Refuse, loop.Paused, 1}},
		{"the user's own had come to another chat", []loop.Event{arrived, elsewhere}, []loop.Event{asked}, time.Hour, outcome{loop.Refuse, loop.Paused, 1}},
		{"the user takes it up at a terminal, and pauses again", []loop.Event{arrived}, []loop.Event{{Kind: loop.EventContinue, Continue: loop.Continue{Idle: true}}, {Kind: loop.EventPause}, agent}, 0, outcome{loop.Refuse, loop.Paused, 1}},
		{"the user sends it again", nil, []loop.Event{arrived, agent}, time.Minute, outcome{loop.Followup, loop.Running, 1}},
		{"the user sends it again, after it had come", []loop.Event{arrived}, []loop.Event{arrived, agent}, time.Minute, outcome{loop.Followup, loop.Running, 1}},
		{"the user resumes", []loop.Event{arrived}, []loop.Event{resume, agent}, 0, outcome{loop.Followup, loop.Running, 1}},
		{"the user takes it up at a terminal", []loop.Event{arrived}, []loop.Event{{Kind: loop.EventContinue, Continue: loop.Continue{Idle: true}}}, 0, outcome{loop.Rest, loop.Waiting, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := pausedWhile(t, tt.before...)
			c.now = c.now.Add(tt.later)
			var last loop.Action
			for _, e := range tt.after {
				last = c.do(e)
				c.now = c.now.Add(-10 * time.Second) // at once
			}
			if got := c.outcome(last); got != tt.want {
				t.Errorf("got %+v want %+v", got, tt.want)
			}
		})
	}
}

func TestTheSecondReportOfALineDoesNotUndoAPause(t *testing.T) {
	c := newChat(t)
	c.all(stop(worked(working), func(e *loop.Event) { e.SessionLimit, e.Typing = 1, loop.TypingPossible }))
	for _, kind := range []loop.EventKind{loop.EventTyped, loop.EventPause, loop.EventTyped} {
		c.do(loop.Event{Kind: kind, Typed: loop.Typed{Conversation: "c1"}})
		c.now = c.now.Add(-10 * time.Second)
	}
	c.now = c.now.Add(time.Hour)
	if a := c.do(goOn(loop.Turn{})); a.Kind != loop.Refuse || c.l.Status != loop.Paused {
		t.Errorf("got %+v, %s", a, c.l.Status)
	}
}

func TestAPauseDuringAVerificationEndsWithIt(t *testing.T) {
	c := newChat(t)
	c.l.Verify = "true"
	c.all(stop(worked(working), func(e *loop.Event) { e.SessionLimit, e.Typing = 1, loop.TypingPossible }))
	typed, again := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c1"}}, goOn(worked("<promise>COMPLETE</promise>"))
	c.all(typed, again, loop.Event{Kind: loop.EventPause})
	verified := again
	verified.Verified = loop.Verification{ID: c.l.Verifying.ID, Passed: true}
	if a := c.do(verified); verified.Verified.ID == "" || a.Kind != loop.Refuse || c.l.Status != loop.Paused {
		t.Errorf("got %+v, %s", a, c.l.Status)
	}
	c.do(typed)
	if a := c.do(again); a.Kind != loop.AskVerify {
		t.Errorf("the user sends the line again: got %+v", a)
	}
}
