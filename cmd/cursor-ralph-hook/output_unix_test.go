//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// spoken is a hook whose output a test reads as it likes.
type spoken struct {
	*exec.Cmd
	out *os.File
}

func (w world) speak(event string, flags ...string) spoken {
	w.Helper()
	out, in, err := os.Pipe()
	w.must(err)
	cmd := exec.Command(program(), flags...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout = w.env, w.dir, strings.NewReader(event), in
	w.must(cmd.Start())
	w.must(in.Close())
	w.Cleanup(func() { _ = out.Close() })
	return spoken{cmd, out}
}

// stay is how long a hook stays after it has closed its output.
func (w world) stay(event string, flags ...string) (answer string, stayed time.Duration) {
	w.Helper()
	h := w.speak(event, flags...)
	text, err := io.ReadAll(h.out)
	closed := time.Now()
	w.must(errors.Join(err, h.Wait()))
	return string(text), time.Since(closed)
}

// TestAnAnswerLingers: Cursor can lose the answer of a hook that exits at once.
// After {} nothing is there to be lost.
func TestAnAnswerLingers(t *testing.T) {
	w := newWorld(t)
	w.write(w.places.Live(me), `{"prompt": "build it"}`)
	for _, tt := range []struct {
		name, event, flag string
		want              string // in the answer
		stays             bool
	}{
		{"a follow-up", w.stopEvent(me), "", "followup_message", true},
		{"a follow-up, for longer", w.stopEvent(me), "--linger=600ms", "followup_message", true},
		{"a follow-up without lingering", w.stopEvent(me), "--linger=0", "followup_message", false},
		{"a message that is kept back", w.sends(me, "/ralph-status"), "", `"continue":false`, true},
		{"nothing", w.stopEvent("chat-without-a-loop"), "", "{}", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var flags []string
			if tt.flag != "" {
				flags = []string{tt.flag}
			}
			answer, stayed := w.stay(tt.event, flags...)
			if !strings.Contains(answer, tt.want) {
				t.Errorf("got %s, want %s in it", answer, tt.want)
			}
			least := hook.Linger("linux")
			if tt.flag == "--linger=600ms" {
				least = 600 * time.Millisecond
			}
			if tt.stays && stayed < least-5*time.Millisecond {
				t.Errorf("it stayed for %s, want %s or more", stayed, least)
			}
			if !tt.stays && stayed >= least {
				t.Errorf("it stayed for %s, want it to exit at once", stayed)
			}
		})
	}
}

// TestAReaderThatIsGoneOrStops: the hook exits 0, in time, and what was decided
// is saved.
func TestAReaderThatIsGoneOrStops(t *testing.T) {
	long := strings.Repeat("word ", 60_000) // more than a pipe holds
	for name, read := range map[string]func(spoken) error{
		"closes its end early": func(h spoken) error { return h.out.Close() },
		"never reads":          func(spoken) error { return nil },
		"stops after a while": func(h spoken) error {
			_, err := io.ReadFull(h.out, make([]byte, 10_000))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.places.Live(me), `{"prompt": "`+long+`"}`)
			h := w.speak(w.stopEvent(me))
			w.must(read(h))
			began := time.Now()
			if err := h.Wait(); err != nil {
				t.Errorf("got %v, want exit 0", err)
			}
			if took := time.Since(began); took > longest+time.Second {
				t.Errorf("it took %s", took)
			}
			if l := w.live(me); l.Iterations != 1 {
				t.Errorf("got %d iterations in the file, want the stop counted", l.Iterations)
			}
			if len(w.log("write hook answer")) != 1 {
				t.Error("the log does not have the lost answer")
			}
		})
	}
}
