package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// overdue is the watcher's event for the follow-up that is open now.
func (c *chat) overdue(since loop.Turn) loop.Action {
	c.t.Helper()
	return c.do(loop.Event{Kind: loop.EventFollowupLost, Lost: loop.Lost{Followup: c.l.Delivery.ID}, Turn: since})
}

// message is what reaches the prompt hook.
func message(text string) loop.Event { return loop.Event{Kind: loop.EventMessage, Text: text} }

func TestWhatClosesAFollowup(t *testing.T) {
	const followed = "the follow-up itself"
	for _, tt := range []struct {
		name  string
		event loop.Event
		want  loop.Outcome
	}{
		{"its text", message(followed), loop.FollowupShown},
		{"a message of the user", message("Wait."), "closed"},
		{"the continue line", lineIn("c1", false), "closed"},
		{"a pause", loop.Event{Kind: loop.EventPause}, "paused by the user"},
		{"a cancel", loop.Event{Kind: loop.EventCancel}, "the loop ended"},
		{"blocked", loop.Event{Kind: loop.EventBlocked, Text: "why"}, "the loop ended"},
		{"Stop", stop(loop.Turn{}, status(loop.Aborted)), "closed"},
		{"a failed turn", stop(loop.Turn{}, status(loop.Errored)), "closed"},
		{"continue", loop.Event{Kind: loop.EventContinue}, "closed"},
		{"added context leaves it open", loop.Event{Kind: loop.EventContext, Text: "more"}, ""},
		{"a note leaves it open", loop.Event{Kind: loop.EventNote, Text: "half"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t)
			c.do(stop(worked(working), generation("g1")))
			if tt.event.Text == followed {
				tt.event.Text = "\n" + c.l.LastFollowup + " "
			}
			c.do(tt.event)
			if got := c.l.Delivery.Outcome; got != tt.want {
				t.Errorf("got %q want %q", got, tt.want)
			}
			c.now = c.now.Add(time.Hour)
			if a := c.overdue(loop.Turn{}); tt.want != "" && a.Kind != loop.Rest {
				t.Errorf("got %q (%s) after it was closed, want nothing", a.Kind, a.Why())
			}
		})
	}
}

// shows has the prompt hook have seen a follow-up of the loop.
func shows(l *loop.State) { l.Shown = true }

func TestWhenAFollowupIsLost(t *testing.T) {
	events := func(generations ...string) loop.Turn { return loop.Turn{Generations: generations} }
	constant := generation("c1")
	for _, tt := range []struct {
		name  string
		stop  loop.Event
		after time.Duration
		since loop.Turn
		want  loop.Outcome
	}{
		{"too early", stop(worked(working)), loop.FollowupWait - time.Second, loop.Turn{}, ""},
		{"in time", stop(worked(working)), loop.FollowupWait, loop.Turn{}, loop.FollowupLost},
		{"a late event of the turn before proves nothing", stop(worked(working), generation("g1")), loop.FollowupWait, events("g1"), loop.FollowupLost},
		{"an event of another turn proves it", stop(worked(working), generation("g1")), loop.FollowupWait, events("g1", "g2"), loop.FollowupUnshown},
		{"any event, if all turns have one generation", stop(worked(working), constant), loop.FollowupWait, events("c1"), loop.FollowupUnshown},
		{"nothing, if all turns have one generation", stop(worked(working), constant), loop.FollowupWait, loop.Turn{}, loop.FollowupLost},
		{"its own message in the journal", stop(worked(working), generation("g1")), loop.FollowupWait, loop.Turn{Followed: true}, loop.FollowupUnshown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, shows)
			c.do(tt.stop)
			c.now = c.l.Delivery.OpenedAt.Add(tt.after)
			c.overdue(tt.since)
			got := c.l.Delivery.Outcome
			if c.l.Delivery.Again {
				got = c.l.History[0].Delivery
			}
			if got != tt.want {
				t.Errorf("got %q want %q", got, tt.want)
			}
		})
	}
}

// TestTheSecondDelivery: the agent gets the lost text once more, word for word,
// and what the user added meanwhile.
func TestTheSecondDelivery(t *testing.T) {
	c := newChat(t, shows)
	c.all(loop.Event{Kind: loop.EventContext, Text: "Mind the gap."}, loop.Event{Kind: loop.EventNotice, Text: "A notice."})
	c.do(stop(worked(working), generation("g1")))
	lost := c.l.LastFollowup
	c.now = c.now.Add(loop.FollowupWait)
	c.overdue(loop.Turn{})
	c.do(loop.Event{Kind: loop.EventContext, Text: "And the door."})
	if got, want := (outcome{"", c.l.Status, c.l.Iterations}), waitingAt(1); got != want {
		t.Errorf("while it is under way: got %+v want %+v", got, want)
	}
	a := c.do(lineIn("c1", false))
	if !strings.HasPrefix(a.Text, strings.TrimRight(lost, "\n")) || strings.Count(a.Text, "Mind the gap.") != 1 || !strings.Contains(a.Text, "And the door.") {
		t.Errorf("got\n%s\nwant the lost text with what was added:\n%s", a.Text, lost)
	}
	if got, want := c.outcome(a), goesOn(1); got != want {
		t.Errorf("got %+v want %+v", got, want)
	}
	if len(c.l.Context)+len(c.l.Notices) > 0 {
		t.Errorf("still to be delivered: %q, %q", c.l.Context, c.l.Notices)
	}
	if got := c.l.History[0]; got.Delivery != loop.FollowupAgain {
		t.Errorf("got %q in the history, want %q", got.Delivery, loop.FollowupAgain)
	}
	if again := c.do(loop.Event{Kind: loop.EventContinue}); again.Text != a.Text {
		t.Errorf("the agent's own call about that line: got\n%s\nwant\n%s", again.Text, a.Text)
	}
	c.do(stop(worked(working), generation("g2")))
	if a = c.do(loop.Event{Kind: loop.EventContinue}); strings.HasPrefix(a.Text, lost) {
		t.Error("a later continue got the lost text too")
	}
}

// lostFollowup is a chat whose first follow-up counts as lost.
func lostFollowup(t *testing.T, changes ...func(*loop.State)) *chat {
	t.Helper()
	c := newChat(t, append(changes, shows)...)
	c.do(stop(worked(working)))
	c.now = c.now.Add(loop.FollowupWait)
	if a := c.overdue(loop.Turn{}); a.Kind != loop.Inject {
		t.Fatalf("got %q (%s), want the line to be sent", a.Kind, a.Why())
	}
	return c
}

// TestALineThatCrosses the user's act counts for less than that.
func TestALineThatCrosses(t *testing.T) {
	line := lineIn("c1", false)
	calledOff := func(t *testing.T) *chat {
		c := lostFollowup(t)
		c.do(message(c.l.LastFollowup))
		c.now = c.now.Add(time.Minute)
		return c
	}
	for name, act := range map[string]loop.Event{"Stop": stop(loop.Turn{}, status(loop.Aborted))} {
		t.Run(name, func(t *testing.T) {
			c := calledOff(t)
			c.do(act)
			status, at := c.l.Status, c.l.Delivery.ClosedAt
			if status.Ended() {
				at = c.l.EndedAt
			}
			for _, e := range []loop.Event{line, {Kind: loop.EventContinue}} {
				c.now = at.Add(time.Second)
				if a := c.do(e); a.Kind != loop.Refuse || c.l.Status != status {
					t.Errorf("%s: got %q, %s, want it kept back", e.Kind, a.Kind, c.l.Status)
				}
			}
			c.now = c.now.Add(time.Minute)
			c.do(line)
			if a := c.do(loop.Event{Kind: loop.EventContinue}); a.Kind != loop.Followup || c.l.Status != loop.Running {
				t.Errorf("got %q, %s for the user's line later, want it to count", a.Kind, c.l.Status)
			}
		})
	}
}
