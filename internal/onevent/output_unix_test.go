//go:build unix

package onevent

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// spoken is a hook whose output a test reads as it likes.
type spoken struct {
	*exec.Cmd
	out *os.File
}

func (w world) speak(program, event string) spoken {
	w.Helper()
	out, in, err := os.Pipe()
	w.must(err)
	cmd := exec.Command(program)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout = w.env, w.dir, strings.NewReader(event), in
	w.must(cmd.Start())
	w.must(in.Close())
	w.Cleanup(func() { _ = out.Close() })
	return spoken{cmd, out}
}

// stay returns a hook's answer and how long the hook ran, which is longer than it stayed after the answer. How long it stayed
// cannot be measured from outside: a busy machine sees the end of the output late.
func (w world) stay(program, event string) (answer string, ran time.Duration) {
	w.Helper()
	began := time.Now()
	h := w.speak(program, event)
	text, err := io.ReadAll(h.out)
	w.must(errors.Join(err, h.Wait()))
	return string(text), time.Since(began)
}

// TestAnAnswerLingers: Cursor can lose the answer of a hook that exits at once. The hook is the one that is released; those of
// other tests do not stay. That it has closed its output first, and that {} costs no time, is shown in package hook.
func TestAnAnswerLingers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(sources.Released(w.dir, "cmd/cursor-ralph-hook"))
	released := filepath.Join(w.dir, "cursor-ralph-hook")
	w.write(w.places.Live(me), `{"prompt": "build it"}`)
	for _, tt := range []struct{ name, event, want string }{
		{"a follow-up", w.stopEvent(me), "followup_message"},
		{"a message that is kept back", w.sends(me, "/ralph-status"), `"continue":false`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			answer, ran := w.stay(released, tt.event)
			if !strings.Contains(answer, tt.want) {
				t.Errorf("got %s, want %s in it", answer, tt.want)
			}
			if least := hook.Linger(runtime.GOOS); ran < least {
				t.Errorf("it ran for %s, want %s or more", ran, least)
			}
		})
	}
}

// TestAReaderThatIsGoneOrStops: the hook exits 0, in time, and what was decided
// is saved.
func TestAReaderThatIsGoneOrStops(t *testing.T) {
	t.Parallel()
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
			h := w.speak(program(), w.stopEvent(me))
			w.must(read(h))
			began := time.Now()
			if err := h.Wait(); err != nil {
				t.Errorf("got %v, want exit 0", err)
			}
			if took := time.Since(began); took > 2*longest {
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

// TestAReaderThatBeginsLate: on a busy machine an agent may be slow to read. Claude Code and Qwen Code lost a loop so.
func TestAReaderThatBeginsLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.places.Live(me), `{"prompt": "`+strings.Repeat("word ", 60_000)+`"}`)
	h := w.speak(program(), w.stopEvent(me))
	<-time.After(time.Second)
	text, err := io.ReadAll(h.out)
	w.must(errors.Join(err, h.Wait()))
	if !strings.Contains(string(text), "followup_message") || !strings.HasSuffix(strings.TrimSpace(string(text)), "}") {
		t.Errorf("got %d bytes", len(text))
	}
}
