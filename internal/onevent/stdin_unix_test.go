//go:build unix

package onevent

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// TestSlowInput plays an editor that takes its time to write the event.
func TestSlowInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.places.Live(me), seven("the task"))
	event := w.stopEvent(me)
	in, editor, err := os.Pipe()
	w.must(err)
	p := w.startOn(in)
	for _, part := range []string{event[:20], event[20:]} {
		time.Sleep(50 * time.Millisecond)
		_, err := editor.WriteString(part)
		w.must(err)
	}
	w.must(errors.Join(editor.Close(), in.Close()))
	if got, _ := p.answer()["followup_message"].(string); !strings.Contains(got, "the task") {
		t.Errorf("got %q, want the loop to go on", got)
	}
}

// TestInputWithoutAnEnd plays an editor that leaves its pipe open.
func TestInputWithoutAnEnd(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	w := newWorld(t)
	w.write(w.places.Live(me), seven("the task"))
	began := time.Now()
	if got := w.startOpen(w.stopEvent(me)).answer(); len(got) != 0 {
		t.Errorf("got %v, want {}", got)
	}
	if took := time.Since(began); took < deadline {
		t.Errorf("it took %s", took)
	}
	w.once("the task")
	w.logged("standard input did not end in time")
}

// TestInputOfAnotherHostThatIsTooLarge: the loop pauses there too, if the event is that host's.
func TestInputOfAnotherHostThatIsTooLarge(t *testing.T) {
	t.Parallel()
	const began, output = `{"session_id":"` + me + `","transcript_path":"/home/user/.claude/projects/x/` + me + `.jsonl","cwd":"/x","hook_event_name":"PostToolUse",`, `"tool_response":"`
	for _, tt := range []struct {
		name, host, begin string
		unread            bool
	}{
		{"a host", "claude", began, true},
		{"a host with names of its own", "copilot", `{"sessionId":"` + me + `","timestamp":1,"cwd":"/x","toolName":"shell",`, true},
		{"an event of Cursor's", "claude", `{"cursor_version":"3.18",` + began[1:], false},
		{"an event of another host's", "copilot", began, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(w.places.Live(me), seven("the task"))
			event := tt.begin + output + strings.Repeat("x", 20<<10)
			var out bytes.Buffer
			run([]string{"--host", tt.host}, io.MultiReader(strings.NewReader(event), strings.NewReader(strings.Repeat("x", hook.MaxInput)), strings.NewReader(`"}`)), &out, w.getenv, time.Now)
			if got := out.String(); got != "{}\n" {
				t.Errorf("got %q, want {}", got)
			}
			if got := len(w.log("an event that is too large")) > 0; got {
				t.Errorf("got a pause before the stop")
			}
			w.hook(w.stopEvent(me))
			if got := len(w.log("an event that is too large")) > 0; got != tt.unread {
				t.Errorf("the loop pauses: got %t, want %t", got, tt.unread)
			}
		})
	}
}

// broken is a reader with a bug.
type broken struct{}

func (broken) Read([]byte) (int, error) { panic("what is this?") }

func TestPanicOfReadingIsAnEventThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var out bytes.Buffer
	run(nil, io.Reader(broken{}), &out, w.getenv, time.Now)
	if got := out.String(); !strings.Contains(got, "{}") {
		t.Errorf("got %q, want {}", got)
	}
	w.logged("panic: what is this?")
}

// A git that hangs, and then a desktop that does, must leave time to decide.
func TestAWaitLeavesTimeToDecide(t *testing.T) {
	t.Parallel()
	var w watchdog
	for _, tt := range []struct{ left, wait, least, most time.Duration }{
		{time.Hour, time.Second, time.Second / 2, time.Second},
		{3 * time.Second, time.Minute, time.Second, 2 * time.Second},
	} {
		w.end = time.Now().Add(tt.left)
		ctx, cancel := w.within(t.Context(), tt.wait)
		end, _ := ctx.Deadline()
		if got := time.Until(end); got > tt.most || got < tt.least {
			t.Errorf("with %s left: waits %s", tt.left, got)
		}
		cancel()
	}
}
