package loop_test

import (
	"strings"
	"testing"
	"time"

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
	typed := lineIn("c1", false)
	for _, tt := range []struct {
		name    string
		events  []loop.Event
		outcome loop.Outcome
		session int
		status  loop.Status
	}{
		{"nothing was seen", nil, "", 1, loop.Waiting},
		{"the line was seen", []loop.Event{typed}, loop.Arrived, 0, loop.Running},
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
			id := c.l.Delivery.ID
			c.all(tt.events...)
			line, _ := c.l.LineOf(id)
			if line.Outcome != tt.outcome || c.l.SessionIterations != tt.session || c.l.Status != tt.status {
				t.Errorf("got %q, session %d, %s; want %q, %d, %s",
					line.Outcome, c.l.SessionIterations, c.l.Status, tt.outcome, tt.session, tt.status)
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
	id := c.l.Delivery.ID
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
		{"by hand, whatever the status", byHand, byHand.Delivery.ID, c.now, true},
		{"by hand, but stopped since", byHandStopped, byHand.Delivery.ID, c.now, false},
		{"by hand, over an earlier stop", overStop, overStop.Delivery.ID, c.now, true},
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
	elsewhere := lineIn("c2", false)
	c := newChat(t)
	c.do(atSessionLimit(loop.TypingPossible, working))
	action := c.do(elsewhere)
	if action.Kind != loop.Refuse || !strings.Contains(c.l.Reason, "another chat was in front") || c.l.Status != loop.Waiting {
		t.Errorf("got %+v and %s: %s, want that it is kept back there", action, c.l.Status, c.l.Reason)
	}
	if action := c.do(elsewhere); action.Kind != loop.Followup || c.l.Status != loop.Running {
		t.Errorf("typed there by hand, later: got %+v and %s, want that the loop goes on there", action, c.l.Status)
	}
}
