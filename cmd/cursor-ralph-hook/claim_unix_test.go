//go:build unix

package main

import (
	"strings"
	"testing"
	"time"
)

// TestALoopThatIsCancelledAsItIsClaimedIsNoError: between the claim and the look
// at what was claimed, somebody else may have ended it.
func TestALoopThatIsCancelledAsItIsClaimedIsNoError(t *testing.T) {
	w := newWorld(t)
	h := &handler{now: time.Now, getenv: w.getenv}
	w.must(h.open(nil))
	h.in.ConversationID = me
	if h.claimed(t.Context()) {
		t.Error("got a loop that is not there")
	}
	if got := w.log("action="); len(got) > 0 {
		t.Errorf("got %q in the log, want nothing", strings.Join(got, "\n"))
	}
}
