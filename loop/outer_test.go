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
			s.Run = loop.Run{Agent: "a", Driver: "print", NoTools: test.noTools}
			got, action := loop.Decide(s, loop.Event{
				Kind: loop.EventStop,
				Turn: loop.Turn{Texts: []string{promise}},
				Stop: loop.Stop{Status: loop.Completed, Waited: true},
				Look: loop.Look{Tree: test.after},
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

// The policy of the user holds for it too.
func TestThePolicyForAnAgentWhoseToolsAreNotSeen(t *testing.T) {
	same := loop.Tree{Root: "/w", Print: "1"}
	for policy, promise := range map[loop.NoWork]string{
		"reject": "refused: no file has changed", "warn": "accepted with a warning: no file has changed", "accept": "accepted", "": "refused: no file",
	} {
		c := newChat(t, func(l *loop.State) { l.Run, l.NoWork, l.Tree = loop.Run{Driver: "print", NoTools: true}, policy, same })
		a := c.do(stop(talked(marker), func(e *loop.Event) { e.Tree, e.Waited = same, true }))
		if !strings.HasPrefix(a.Promise, promise) {
			t.Errorf("%q: got %q, want %q", policy, a.Promise, promise)
		}
	}
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
	busy := loop.Event{Kind: loop.EventTransient, Text: "slow down\nand more"}
	failed := loop.Event{Kind: loop.EventStop, Text: "it crashed", Stop: loop.Stop{Status: loop.Errored, Aborts: true, Waited: true}}
	retrying := func(s *loop.State) { s.OnError = "retry" }
	for _, test := range []struct {
		name   string
		loop   func(*loop.State)
		event  loop.Event
		status loop.Status
		kind   loop.ActionKind
		wait   time.Duration
		reason string
	}{
		{"a busy service is waited for", nil, busy, loop.Waiting, loop.Again, 30 * time.Second, "slow down; it is tried again after 30s (1 of 8)"},
		{"longer each time", func(s *loop.State) { s.Retries = 3 }, busy, loop.Waiting, loop.Again, 4 * time.Minute, "slow down; it is tried again after 4m (4 of 8)"},
		{"but not for ever longer", func(s *loop.State) { s.Retries = 7 }, busy, loop.Waiting, loop.Again, 8 * time.Minute, "slow down; it is tried again after 8m (8 of 8)"},
		{"and not for ever", func(s *loop.State) { s.Retries = 8 }, busy, loop.Paused, loop.Rest, 0, "the turn failed: slow down; 8 tries in a row failed"},
		{"as long as it asks for", nil, loop.Event{Kind: loop.EventTransient, Text: "x", Transient: loop.Transient{After: loop.Duration(7 * time.Second)}}, loop.Waiting, loop.Again, 7 * time.Second, "x; it is tried again after 7s (1 of 8)"},
		{"within reason", nil, loop.Event{Kind: loop.EventTransient, Text: "x", Transient: loop.Transient{After: loop.Duration(99 * time.Hour)}}, loop.Waiting, loop.Again, 12 * time.Hour, "x; it is tried again after 12h (1 of 8)"},
		{"and not beyond the loop's time", func(s *loop.State) { s.MaxDuration = loop.Duration(20 * time.Second) }, busy, loop.Waiting, loop.Again, 10 * time.Second, "slow down; it is tried again after 30s (1 of 8)"},
		{"a pause wins", func(s *loop.State) { s.Status, s.Reason = loop.Paused, "by the user" }, busy, loop.Paused, loop.Rest, 0, "by the user"},
		{"a stop wins", func(s *loop.State) { s.Stop = true }, busy, loop.UserStopped, loop.Rest, 0, "stopped by the user"},
		{"a failed turn pauses", nil, failed, loop.Paused, loop.Rest, 0, "the turn failed: it crashed"},
		{"or is tried again", retrying, failed, loop.Waiting, loop.Again, 30 * time.Second, "the turn failed: it crashed; it is tried again after 30s (1 of 4)"},
		{"four times", func(s *loop.State) { retrying(s); s.Retries = 4 }, failed, loop.Paused, loop.Rest, 0, "the turn failed: it crashed; 4 tries in a row failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			now := at(10)
			got, action := loop.Decide(ofRun(test.loop), test.event, now)
			if got.Status != test.status || action.Kind != test.kind || got.Reason != test.reason {
				t.Errorf("got %s, %q, %q; want %s, %q, %q", got.Status, action.Kind, got.Reason, test.status, test.kind, test.reason)
			}
			var due time.Time
			if test.wait > 0 {
				due = now.Add(test.wait)
			}
			if !got.RetryAt.Equal(due) {
				t.Errorf("got the next try at %s, want it at %s", got.RetryAt, due)
			}
			if got.Iterations != 1 {
				t.Errorf("got %d iterations, want the failed turn not counted", got.Iterations)
			}
		})
	}
}

func TestARunGoesOn(t *testing.T) {
	waits := func(s *loop.State) { s.Status, s.RetryAt, s.Retries, s.Reason = loop.Waiting, at(40), 1, "busy" }
	withContext := func(s *loop.State) {
		s.History = []loop.Iteration{{Number: 1, Context: []string{"zero", "one", "two"}}}
		s.Context = []string{"two", "three"}
	}
	for _, test := range []struct {
		name    string
		loop    func(*loop.State)
		event   loop.Event
		now     int64
		status  loop.Status
		kind    loop.ActionKind
		context string
	}{
		{"a turn is tried again", waits, loop.Event{Kind: loop.EventAgain}, 40, loop.Running, loop.Rest, ""},
		{"not one that waits for nothing", nil, loop.Event{Kind: loop.EventAgain}, 40, loop.Running, loop.Refuse, ""},
		{"nor beyond the loop's time", func(s *loop.State) { waits(s); s.MaxDuration = loop.Duration(30 * time.Second) }, loop.Event{Kind: loop.EventAgain}, 40, loop.MaxDuration, loop.Rest, ""},
		{"the context of an interrupted turn comes back, in order and once", withContext, loop.Event{Kind: loop.EventInterrupt, Text: "interrupted"}, 40, loop.Paused, loop.Rest, "zero one two three"},
		{"an interrupted pause stays one, and keeps its context", func(s *loop.State) { withContext(s); s.Status, s.PauseReason = loop.Paused, "user" }, loop.Event{Kind: loop.EventInterrupt, Text: "interrupted"}, 40, loop.Paused, loop.Rest, "two three"},
		{"a chat does not continue it", nil, loop.Event{Kind: loop.EventContinue}, 40, loop.Running, loop.Refuse, ""},
		{"its own process does", func(s *loop.State) { s.Status = loop.Paused }, loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{Run: loop.Run{Agent: "a", Driver: "acp"}}}, 40, loop.Running, loop.Followup, ""},
		{"nothing is typed for it", nil, loop.Event{Kind: loop.EventInject}, 40, loop.Running, loop.Refuse, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, action := loop.Decide(ofRun(test.loop), test.event, at(test.now))
			if got.Status != test.status || action.Kind != test.kind {
				t.Errorf("got %s and %q, want %s and %q", got.Status, action.Kind, test.status, test.kind)
			}
			if context := strings.Join(got.Context, " "); test.context != "" && context != test.context {
				t.Errorf("got the context %q, want %q", context, test.context)
			}
		})
	}
	got, _ := loop.Decide(ofRun(nil), loop.Event{Kind: loop.EventSession, Text: "s7"}, at(1))
	if got.Run.Session != "s7" {
		t.Errorf("got the session %q, want s7", got.Run.Session)
	}
}

// Tools that nobody sees are not counted where the loop ends.
func TestTheSummaryOfARun(t *testing.T) {
	for _, noTools := range []bool{false, true} {
		s := ofRun(func(s *loop.State) { s.MaxIterations, s.Run.NoTools = 2, noTools })
		got, _ := loop.Decide(s, loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed, Waited: true}}, at(10))
		if counted := strings.Contains(got.Reason, "tool calls"); got.Status != loop.MaxIterations || counted == noTools {
			t.Errorf("with no tools seen %t: got %s, %q", noTools, got.Status, got.Reason)
		}
	}
}
