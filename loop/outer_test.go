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
		{"nothing seen skips the rule, and says so", true, "", tree("1"), loop.PromiseAccepted, loop.Rest, "was skipped"},
		{"a verification is asked for", true, "make", tree("1"), loop.Running, loop.AskVerify, ""},
		{"an agent whose tools are seen has to use them", false, "", tree("2"), loop.Running, loop.Followup, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := loop.New()
			s.Prompt, s.Status, s.Verify, s.Tree = "x", loop.Running, test.verify, tree("1")
			s.Run = loop.Run{Agent: "a", Driver: "print", NoTools: test.noTools}
			got, action := loop.Decide(s, loop.Event{Kind: loop.EventStop, Status: loop.Completed, Waited: true, Tree: test.after,
				Turn: loop.Turn{Texts: []string{promise}}}, time.Unix(1000, 0))
			if got.Status != test.status || action.Kind != test.kind {
				t.Errorf("got %s and %q, want %s and %q", got.Status, action.Kind, test.status, test.kind)
			}
			if warned := strings.Contains(action.Promise, "warning"); warned != (test.warning != "") || !strings.Contains(action.Promise, test.warning) {
				t.Errorf("got %q, want the warning %q", action.Promise, test.warning)
			}
		})
	}
}
