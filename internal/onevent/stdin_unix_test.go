//go:build unix

package onevent

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// piped runs a hook in the test itself, on a pipe that is read for so long.
type piped struct {
	w          world
	in, editor *os.File
	out        bytes.Buffer // once it is done
	done       chan struct{}

	mu     sync.Mutex
	closed bool // in
}

func (w world) piped(patience time.Duration, args ...string) *piped {
	w.Helper()
	in, editor, err := os.Pipe()
	w.must(err)
	p := &piped{w: w, in: in, editor: editor, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		run(args, inTime{in, time.Now().Add(patience)}, &p.out, w.getenv, time.Now)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.closed = true
		if err := in.Close(); err != nil { // a writer gets an error
			w.Error(err)
		}
	}()
	return p
}

// sends writes to the pipe, and waits until it was read.
func (p *piped) sends(text string) {
	p.w.Helper()
	_, err := p.editor.WriteString(text)
	p.w.must(err)
	p.w.until("the pipe is empty", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.closed {
			return true
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(p.in.Fd()), Events: unix.POLLIN}}, 0)
		return n == 0 && err == nil
	})
}

func (p *piped) answer() string {
	p.w.Helper()
	select {
	case <-p.done:
	case <-time.After(tooLong):
		p.w.Fatal("got no answer")
	}
	return p.out.String()
}

// TestSlowInput plays an editor that takes its time to write the event.
func TestSlowInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.places.Live(me), seven("the task"))
	event := w.stopEvent(me)
	p := w.piped(tooLong)
	p.sends(event[:20])
	p.sends(event[20:])
	w.must(p.editor.Close())
	if got := p.answer(); !strings.Contains(got, "the task") {
		t.Errorf("got %q, want the loop to go on", got)
	}
}

// TestInputWithoutAnEnd plays an editor that leaves its pipe open, silent or not.
func TestInputWithoutAnEnd(t *testing.T) {
	t.Parallel()
	for name, talks := range map[string]bool{"silent": false, "talking": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.places.Live(me), seven("the task"))
			const patience = 200 * time.Millisecond
			start := time.Now()
			p := w.piped(patience)
			defer p.editor.Close()
			_, err := p.editor.WriteString(w.stopEvent(me))
			w.must(err)
			w.must(p.editor.SetWriteDeadline(time.Now().Add(tooLong)))
			for err == nil && talks { // until the hook is gone
				_, err = p.editor.WriteString(strings.Repeat(" ", 4<<10))
			}
			got := p.answer()
			if took := time.Since(start); got != "{}\n" || took < patience || took > tooLong {
				t.Errorf("got %q after %v, want {} after %v", got, took, patience)
			}
			w.once("the task")
			w.logged("standard input did not end in time")
		})
	}
}

// TestInputThatComesTooSlowly: what an event said is lost, so the loop pauses and says why.
func TestInputThatComesTooSlowly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.places.Live(me), seven("the task"))
	p := w.piped(200 * time.Millisecond)
	defer p.editor.Close()
	words := w.says(me, strings.Repeat("words ", 1000))
	p.sends(words[:len(words)-100])
	if got := p.answer(); got != "{}\n" {
		t.Errorf("got %q, want {}", got)
	}
	w.rests(w.stopEvent(me))
	w.logged("an event that is too large or came too slowly")
}

// TestInputOfAnotherHostThatComesTooSlowly or is too large: the loop pauses there too, if the event is that host's.
func TestInputOfAnotherHostThatComesTooSlowly(t *testing.T) {
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
		for _, large := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, large %t", tt.name, large), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.write(w.places.Live(me), seven("the task"))
				event := tt.begin + output + strings.Repeat("x", 20<<10)
				var out bytes.Buffer
				if large {
					run([]string{"--host", tt.host}, io.MultiReader(strings.NewReader(event), strings.NewReader(strings.Repeat("x", hook.MaxInput)), strings.NewReader(`"}`)), &out, w.getenv, time.Now)
				} else {
					p := w.piped(200*time.Millisecond, "--host", tt.host)
					defer p.editor.Close()
					p.sends(event)
					p.answer()
					out = p.out
				}
				if got := out.String(); got != "{}\n" {
					t.Errorf("got %q, want {}", got)
				}
				if got := len(w.log("an event that is too large or came too slowly")) > 0; got {
					t.Errorf("got a pause before the stop")
				}
				w.hook(w.stopEvent(me))
				if got := len(w.log("an event that is too large or came too slowly")) > 0; got != tt.unread {
					t.Errorf("the loop pauses: got %t, want %t", got, tt.unread)
				}
			})
		}
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

// TestPatience has the rules of a context, and waits no longer than it should.
func TestPatience(t *testing.T) {
	t.Parallel()
	p := &patience{until: time.Now().Add(50 * time.Millisecond)}
	if err := p.Err(); err != nil || p.timer != nil {
		t.Errorf("got %v and the timer %v, want neither", err, p.timer)
	}
	path := t.TempDir() + "/lock"
	release, err := ownfile.Lock(p, path)
	if err != nil || p.timer != nil {
		t.Fatalf("got %v and the timer %v for a lock that is free, want neither", err, p.timer)
	}
	defer release()
	if _, err := ownfile.Lock(p, path); err == nil || p.Err() == nil {
		t.Errorf("got %v, and then %v, for a lock that is held, want errors", err, p.Err())
	}
	if until, ok := p.Deadline(); !ok || time.Now().Before(until) {
		t.Errorf("got an end before %v", until)
	}
	select {
	case <-p.Done():
	default:
		t.Error("got a context that is not done, want it done")
	}
}
