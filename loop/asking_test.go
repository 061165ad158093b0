package loop_test

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// A permission that the agent waits for is in the state while it waits, and no longer.
func TestAskingEnds(t *testing.T) {
	now := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for name, e := range map[string]loop.Event{
		"an answer":             {Kind: loop.EventAsking},
		"a cancel":              {Kind: loop.EventCancel},
		"a pause":               {Kind: loop.EventPause},
		"the end of the turn":   {Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}},
		"a failed turn":         {Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Errored}},
		"a rate limit":          {Kind: loop.EventTransient},
		"the end of the run":    {Kind: loop.EventInterrupt},
		"a resume after a kill": {Kind: loop.EventContinue, Continue: loop.Continue{Run: loop.Run{Driver: "acp"}}},
	} {
		l := loop.New()
		l.Status, l.StartedAt, l.EventAt, l.Run.Driver = loop.Running, now, now, "acp"
		l, _ = loop.Decide(l, loop.Event{Kind: loop.EventAsking, Text: "run ls"}, now)
		if !l.IsAsking() || l.Asking.What != "run ls" || l.IsStalled(now.Add(time.Hour)) {
			t.Errorf("got %+v, want a permission that is waited for, and no stall", l.Asking)
		}
		if l, _ = loop.Decide(l, e, now.Add(time.Minute)); l.IsAsking() {
			t.Errorf("after %s: got %+v, want nothing left", name, l.Asking)
		}
	}
}

func TestAlwaysIsListedOnce(t *testing.T) {
	l := loop.New()
	for _, text := range []string{"a", "b", "a"} {
		l, _ = loop.Decide(l, loop.Event{Kind: loop.EventAlways, Text: text}, time.Now())
	}
	if len(l.Always) != 2 {
		t.Errorf("got %q, want a and b", l.Always)
	}
	if l, _ = loop.Decide(l, loop.Event{Kind: loop.EventAlways}, time.Now()); l.Always != nil {
		t.Errorf("got %q, want it taken back", l.Always)
	}
}
