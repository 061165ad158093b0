package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// TestAHandOverIsNoLateFollowup: it is the last answer of a session, and comes
// by the prompt hook as follow-ups do.
func TestAHandOverIsNoLateFollowup(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []loop.Event
	}{
		{"the lost one was delivered again", []loop.Event{{Kind: loop.EventContinue}}},
		{"the user spoke first", []loop.Event{message("Go on.")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := lostFollowup(t)
			c.all(tt.events...)
			a := c.do(stop(worked(working), sessionLimit(1), func(e *loop.Event) { e.Typing = loop.TypingImpossible }))
			if a.Kind != loop.HandOver {
				t.Fatalf("got %q want a hand-over", a.Kind)
			}
			if a := c.do(message(a.Text)); a.Kind != loop.Rest {
				t.Errorf("got %q (%s), want the message to pass", a.Kind, a.Why())
			}
			if c.l.Status != loop.Waiting || !c.l.Rested {
				t.Errorf("got %q, want the loop to wait for the user's line", c.l.Status)
			}
		})
	}
}

// TestALostTextDoesNotOutliveItsTurn: after another turn the agent gets new words.
func TestALostTextDoesNotOutliveItsTurn(t *testing.T) {
	c := lostFollowup(t)
	c.do(message("Go on."))
	c.do(stop(worked(working), sessionLimit(1)))
	if c.l.Iterations != 2 || c.l.Status != loop.Waiting {
		t.Fatalf("got %d iterations, %q", c.l.Iterations, c.l.Status)
	}
	if a := c.do(loop.Event{Kind: loop.EventContinue}); !strings.Contains(a.Text, "[Ralph loop 3/") {
		t.Errorf("got %.60q, want the words for iteration 3", a.Text)
	}
	if got := c.l.History[0].Delivery; got != loop.FollowupLost {
		t.Errorf("got %q in the history, want it to stay lost", got)
	}
}

// TestALineThatCrossesAStop: a chat that works queues the line, and the stop was
// answered before it comes. The agent gets one of the two.
func TestALineThatCrossesAStop(t *testing.T) {
	line := loop.Event{Kind: loop.EventTyped, Typed: loop.Typed{Conversation: "c1"}}
	c := lostFollowup(t)
	c.do(stop(worked(working)))
	c.now = c.l.LastStop.At.Add(time.Second)
	if a := c.do(line); a.Kind != loop.Refuse || !c.l.Followup.IsOpen() {
		t.Errorf("got %q, want the line kept back, and the follow-up still open", a.Kind)
	}
	c.now = c.now.Add(time.Minute)
	if a := c.do(line); a.Kind != loop.Rest {
		t.Errorf("a minute later: got %q (%s), want the line to pass", a.Kind, a.Why())
	}
}

// TestAStallAfterAStopIsToldAlone: the loop is to end with its next stop.
func TestAStallAfterAStopIsToldAlone(t *testing.T) {
	c := newChat(t, func(l *loop.State) { l.OnStall = "continue" })
	c.do(message("go"))
	c.l.Stop = true
	c.now = c.l.EventAt.Add(time.Hour)
	if a := c.do(loop.Event{Kind: loop.EventStalled}); a.Kind != loop.Notify || c.l.Status != loop.Running {
		t.Errorf("got %q, and a loop that is %q", a.Kind, c.l.Status)
	}
}

// TestAPausedLoopKnowsThatItsFollowupCame: when it is resumed the agent is at work.
func TestAPausedLoopKnowsThatItsFollowupCame(t *testing.T) {
	c := lostFollowup(t)
	c.do(loop.Event{Kind: loop.EventPause})
	c.do(message(c.l.LastFollowup))
	c.do(loop.Event{Kind: loop.EventResume})
	if c.l.Status != loop.Running {
		t.Errorf("got %q (%s)", c.l.Status, c.l.Reason)
	}
}
