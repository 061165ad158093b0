//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// running is a loop in its second turn.
func running(w *world, typed string) *chat {
	w.Helper()
	c := w.chat()
	c.starts(typed)
	c.works()
	c.says("A part is done.")
	c.goesOn()
	return c
}

func TestStopPressedEndsTheLoopAndSendsNothingMore(t *testing.T) {
	each(t, append(few(), option("stop is an error", func(o *simcursor.Options) { o.AbortAsError = true })), func(w *world) {
		c := running(w, `"make it green"`)
		c.works()
		c.says("I was about to")
		c.stops()
		if c.turn != nil {
			w.Fatalf("the agent was sent %q after Stop", c.turn.Message)
		}
		if w.AbortAsError {
			l := w.wantStatus(c.ID, "paused", 1)
			w.wantPart("reason", l.Reason, "the turn failed: Cursor reported error")
		} else {
			w.wantStatus(c.ID, "USER_STOPPED", 1)
			w.wantNoLoops()
		}
		c.types("What did you do so far?")
		c.says("A part. " + done)
		c.rests()
		if n := len(c.Messages()); n != 3 {
			w.Errorf("got %d messages to the agent, want 3: %q", n, c.Messages())
		}
	})
}

// The prompt hook has armed the loop, the agent was stopped before it ran
// anything.
func TestStopPressedBeforeTheSlashCallEndsTheLoop(t *testing.T) {
	once(t, func(w *world) {
		c := w.chat()
		c.types(`/ralph-loop "make it green"`)
		c.stops()
		w.wantStatus(c.ID, "USER_STOPPED", 0)
		c.types("hello")
		c.rests()
		w.wantNoLoops()
	})
}

func TestStopPressedDuringAShellCommandEndsTheLoop(t *testing.T) {
	each(t, few(), func(w *world) {
		c := running(w, `"make it green"`)
		c.begin(func(t *simcursor.Turn) { t.Shell("touch begun; sleep 60") })
		w.waitFor(filepath.Join(w.repo(), "begun"))
		c.stops()
		w.wantStatus(c.ID, "USER_STOPPED", 1)
	})
}

// waitFor waits for a file that another process makes.
func (w *world) waitFor(path string) {
	w.Helper()
	w.until(path, func() bool { _, err := os.Stat(path); return err == nil })
}

// A follow-up that Cursor drops because Stop came while the hooks ran is gone,
// but the loop can be taken up.
func TestStopPressedWhileTheStopHookRunsSendsNothingMore(t *testing.T) {
	once(t, func(w *world) {
		rival := fmt.Sprintf(`cat >/dev/null; touch %s/in-stop; sleep 1`, w.tmp())
		w.write(filepath.Join(w.repo(), ".cursor", "hooks.json"), hooksFile("stop", rival))
		c := w.chat()
		c.starts(`"make it green"`)
		c.works()
		c.begin(nil)
		w.waitFor(filepath.Join(w.tmp(), "in-stop"))
		c.stops()
		if c.turn != nil {
			w.Fatalf("the agent was sent %q after Stop", c.turn.Message)
		}
		w.wantStatus(c.ID, "running", 1)
		c.types("/ralph-loop --continue " + c.ID)
		w.wantPart("continue", c.follows(), framed("make it green"))
		c.stops()
		w.wantStatus(c.ID, "USER_STOPPED", 1)
	})
}

// hooksFile is a hooks.json with one hook.
func hooksFile(event, command string) string {
	return encode(map[string]any{"version": 1, "hooks": map[string]any{event: []any{map[string]any{"command": command}}}})
}

func TestAFailedTurnPausesTheLoop(t *testing.T) {
	each(t, sessions(), func(w *world) {
		c := running(w, `"make it green"`)
		c.works()
		c.fails()
		if c.turn != nil {
			w.Fatalf("the agent was sent %q after a failed turn", c.turn.Message)
		}
		l := w.wantStatus(c.ID, "paused", 1)
		if l.PauseReason != "error" {
			w.Errorf("got pause reason %q, want error", l.PauseReason)
		}
		c.types("/ralph-loop --continue " + c.ID)
		w.wantPart("continue", c.follows(), framed("make it green"))
		c.works()
		c.says(done)
		c.concludes()
		if l := w.status(c.ID); l.Status != "PROMISE_ACCEPTED" || l.ToolCalls != 3 {
			w.Errorf("got %s after %d tool calls, want PROMISE_ACCEPTED after 3", l.Status, l.ToolCalls)
		}
	})
}

func TestCancelFromATerminalWorksWhileATurnRuns(t *testing.T) {
	each(t, bindings(), func(w *world) {
		c := running(w, `"make it green"`)
		c.works()
		w.wantPart("cancel", w.ok(w.repo(), "cancel"), "cancelled the loop ")
		w.wantNoLoops()
		c.works()
		c.says("More. " + done)
		c.rests()
		w.wantStatus(c.ID, "CANCELLED", 1)
		c.types("hello")
		c.says(done)
		c.rests()
		w.wantStatus(c.ID, "CANCELLED", 1)
	})
}

// The turn before the limit is the agent's chance to leave its work in order, and it learns what failed.
func TestTheLastTurnBeforeTheLimitIsAnnounced(t *testing.T) {
	each(t, few(), func(w *world) {
		const announced = "This is the loop's last turn: its limit is 3 iterations."
		c := w.chat()
		start := c.starts(`"make it green" --max-iterations 3`)
		w.wantNoPart("the first turn", start, announced)
		c.tries("echo compiling; echo broken at line 7; exit 3")
		c.says("I could not compile it.")
		second := c.goesOn()
		w.wantPart("the second turn", second, "What failed in the last iteration:\n- echo compiling; echo broken at line 7; exit 3 exited with 3: broken at line 7\n")
		w.wantNoPart("the second turn", second, announced)
		c.works()
		c.says("Now it compiles.")
		last := c.goesOn()
		w.wantPart("the last turn", last, announced)
		w.wantNoPart("the last turn", last, "What failed")
		c.works()
		c.says("It compiles; the tests are missing.")
		c.rests()
		w.wantStatus(c.ID, "MAX_ITERATIONS_REACHED", 3)
	})
}
