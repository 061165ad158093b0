package loop_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Where a driver reports no tools, what changed or a verification stands for
// work.
func TestWorkOfAnAgentWhoseToolsAreNotSeen(t *testing.T) {
	const promise = "<promise>COMPLETE</promise>"
	tree := func(print string) loop.Tree {
		return loop.Tree{Root: "/w", Print: print, Files: loop.Contents{"/w/a": print}}
	}
	for _, test := range []struct {
		name    string
		noTools bool
		verify  string
		after   loop.Tree
		status  loop.Status
		kind    loop.ActionKind
		warning string
	}{
		{"a changed file is work", true, "", tree("2"), loop.PromiseAccepted, loop.Rest, ""},
		{"no changed file in a git work tree is no work", true, "", tree("1"), loop.Running, loop.Followup, ""},
		{"where nothing could show a change the rule is skipped, and that is said", true, "", loop.Tree{}, loop.PromiseAccepted, loop.Rest, "was skipped"},
		{"so it is in another folder than the loop began in", true, "", loop.Tree{Root: "/x", Print: "1"}, loop.PromiseAccepted, loop.Rest, "was skipped"},
		{"a verification is asked for", true, "make", tree("1"), loop.Running, loop.AskVerify, ""},
		{"an agent whose tools are seen has to use them", false, "", tree("2"), loop.Running, loop.Followup, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := loop.New()
			s.Prompt, s.Status, s.Verify, s.Tree = "x", loop.Running, test.verify, tree("1")
			s.Run = loop.Run{Agent: "a", Driver: driver(test.noTools)}
			got, action := loop.Decide(s, loop.Event{
				Kind:        loop.EventStop,
				Turn:        loop.Turn{Texts: []string{promise}},
				Stop:        loop.Stop{Status: loop.Completed, Waited: true},
				Observation: loop.Observation{Tree: test.after},
			}, time.Unix(1000, 0))
			if got.Status != test.status || action.Kind != test.kind {
				t.Errorf("got %s and %q, want %s and %q", got.Status, action.Kind, test.status, test.kind)
			}
			if warned := strings.Contains(action.Promise, "warning"); warned != (test.warning != "") || !strings.Contains(action.Promise, test.warning) {
				t.Errorf("got %q, want the warning %q", action.Promise, test.warning)
			}
		})
	}
}

// driver is that of an agent whose tools are seen, or that only prints.
func driver(noTools bool) string {
	if noTools {
		return loop.PrintsOnly
	}
	return "acp"
}

// ofRun is a loop of cursor-ralph run in its second turn.
func ofRun(change func(*loop.State)) loop.State {
	s := loop.New()
	s.Prompt, s.Status, s.Iterations, s.StartedAt, s.EventAt = "x", loop.Running, 1, at(0), at(0)
	s.ConversationID, s.Run = "run-1", loop.Run{Agent: "a", Driver: "acp"}
	if change != nil {
		change(&s)
	}
	return s
}

func at(seconds int64) time.Time { return time.Unix(1_000_000+seconds, 0).UTC() }

func TestARunThatFails(t *testing.T) {
	failed := loop.Event{Kind: loop.EventStop, Text: "it crashed", Stop: loop.Stop{Status: loop.Errored, Waited: true}}
	for _, test := range []struct {
		name   string
		loop   func(*loop.State)
		event  loop.Event
		status loop.Status
		kind   loop.ActionKind
		reason string
	}{
		{"a pause wins", func(s *loop.State) { s.Status, s.Reason = loop.Paused, "by the user" }, failed, loop.Paused, loop.Rest, "by the user"},
		{"a stop wins", func(s *loop.State) { s.Stop = true }, failed, loop.UserStopped, loop.Rest, "stopped by the user"},
		{"a failed turn pauses", nil, failed, loop.Paused, loop.Rest, "the turn failed: it crashed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, action := loop.Decide(ofRun(test.loop), test.event, at(10))
			if got.Status != test.status || action.Kind != test.kind || got.Reason != test.reason {
				t.Errorf("got %s, %q, %q; want %s, %q, %q", got.Status, action.Kind, got.Reason, test.status, test.kind, test.reason)
			}
			if got.Iterations != 1 {
				t.Errorf("got %d iterations, want the failed turn not counted", got.Iterations)
			}
		})
	}
}
