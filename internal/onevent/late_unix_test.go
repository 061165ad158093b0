//go:build unix

package onevent

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

const promise = "All done. <promise>COMPLETE</promise>"

// until waits for a condition.
func (w world) until(what string, is func() bool) {
	w.Helper()
	for end := time.Now().Add(tooLong); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("never: %s", what)
		}
	}
}

// TestTextThatIsOvertakenByItsStop: the stop that would end the loop by its
// limit waits for it.
func TestTextThatIsOvertakenByItsStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.pending(me), with("the task", fields{"max_iterations": 1, "min_tool_calls": 0}))
	stop := w.start(w.stopEvent(me))
	w.until("the stop has claimed the loop", func() bool { return len(w.log("action=claimed")) > 0 })
	w.rests(w.says(me, promise))
	if got := stop.answer(); len(got) != 0 {
		t.Errorf("got %v, want {}", got)
	}
	if got := w.recorded(me); got.Status != loop.PromiseAccepted || got.Iterations != 1 {
		t.Errorf("got %s at iteration %d, want the promise accepted", got.Status, got.Iterations)
	}
	w.once("the task")
}

func TestTextThatComesAfterTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.pending(me), with("the task", fields{"max_iterations": 1, "min_tool_calls": 0}))
	start := time.Now()
	w.rests(w.event("stop", me, fields{"status": "completed", "loop_count": 0, "generation_id": "last"}))
	if took := time.Since(start); took < time.Second {
		t.Errorf("it took %v, want a wait of %v for the text", took, time.Second)
	}
	if got := w.recorded(me).Status; got != loop.MaxIterations {
		t.Errorf("got %s, want the limit", got)
	}
	text := w.event("afterAgentResponse", me, fields{"text": promise, "generation_id": "last"})
	w.together(text, text)
	if got := w.recorded(me); got.Status != loop.PromiseAccepted || got.History[0].Promise != "accepted" {
		t.Errorf("got %s, want the promise accepted", got.Status)
	}
	if got := w.log("promise=accepted"); len(got) == 0 {
		t.Errorf("got the log %q, want it to tell", w.log(""))
	}
	if !w.live(me).Status.Ended() {
		t.Error("it is live again")
	}
	w.once("the task")
}

// TestTextBesideAnEnd lets the loop end after a hook found it live, and before
// that hook left its text in the journal.
func TestTextBesideAnEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.places.Live(me), with("the task", fields{"max_iterations": 1, "min_tool_calls": 0}))
	turn := fields{"generation_id": "last", "text": promise, "status": "completed", "loop_count": 0}
	end := sync.OnceFunc(func() { w.rests(w.event("stop", me, turn)) })
	clock := func() time.Time { end(); return time.Now() } // looked at for the journal's line
	var out bytes.Buffer
	run(nil, strings.NewReader(w.event("afterAgentResponse", me, turn)), &out, w.getenv, clock)
	if out.String() != "{}\n" {
		t.Errorf("got %q, want {}", &out)
	}
	if got := w.recorded(me).Status; got != loop.PromiseAccepted {
		t.Errorf("got %s, want the promise accepted; the log: %q", got, w.log(""))
	}
	if !w.live(me).Status.Ended() {
		t.Error("it is live again")
	}
}

// TestLockThatIsNeverReleased: a hook gives up before the editor does; so does
// one whose standard input stays open.
func TestLockThatIsNeverReleased(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	w := newWorld(t).beside("exit 0")
	w.env = slices.DeleteFunc(w.env, func(pair string) bool { return strings.HasPrefix(pair, "CURSOR_RALPH_NO_NOTIFY=") })
	open := w.startOpen(w.stopEvent("another-chat"))
	w.write(w.pending(me), seven("the task"))
	w.followup(w.stopEvent(me))
	release := w.lockAll()
	w.rests(w.stopEvent(me))
	w.logged("context canceled")
	waitFor(t, "the notice", func() bool {
		calls, _ := os.ReadFile(w.callsPath()) // not there yet
		return strings.Contains(string(calls), "notify --if-wanted --undecided -- "+me)
	})
	if got := open.answer(); len(got) != 0 {
		t.Errorf("got %v where standard input stays open, want {}", got)
	}
	w.logged("standard input")
	w.rests(w.uses(me, "1")) // which needs no lock
	release()
	if got := w.followup(w.stopEvent(me)); !strings.Contains(got, "the task") {
		t.Errorf("afterwards: got %q, want the loop to go on", got)
	}
	if got := w.live(me); got.Iterations != 2 || got.ToolCalls != 1 {
		t.Errorf("got iteration %d and %d tool calls, want 2 and 1", got.Iterations, got.ToolCalls)
	}
	w.once("the task")
}
