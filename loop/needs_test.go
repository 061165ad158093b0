package loop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// A question comes before anything is decided: it leaves the loop as it was, except that a gate round is under way.
func TestAQuestionDecidesNothing(t *testing.T) {
	for _, tt := range []struct {
		name    string
		changes []func(*loop.State)
		event   loop.Event
		want    loop.ActionKind
	}{
		{"the last words, before a limit", []func(*loop.State){atMost(1)}, stop(worked()), loop.AwaitText},
		{"typing, at the session limit", nil, atSessionLimit("", working), loop.AskTyping},
		{"a new chat, where one is due", []func(*loop.State){freshAfter(1)}, stop(worked(working)), loop.AskTyping},
		{"the gates", []func(*loop.State){verifies}, stop(worked(marker)), loop.AskVerify},
		{"nothing, where the promise ends it", nil, atSessionLimit("", marker), loop.Rest},
		{"nothing, where the user stopped it", []func(*loop.State){verifies}, stop(worked(marker), status(loop.Aborted)), loop.Rest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newChat(t, tt.changes...)
			before := c.l
			next, a := loop.Decide(c.l, tt.event, c.now)
			if a.Kind != tt.want {
				t.Fatalf("got %q (%s), want %q", a.Kind, a.Why(), tt.want)
			}
			if diff := cmp.Diff(before, c.l); diff != "" {
				t.Errorf("the state before has changed: %s", diff)
			}
			if a.Kind == loop.AwaitText || a.Kind == loop.AskTyping || a.Kind == loop.AskVerify {
				if next.Iterations != 0 || len(next.History) != 0 || next.Status != loop.Running || next.ToolCalls != 0 {
					t.Errorf("got %+v, want nothing decided", next)
				}
			}
		})
	}
}
