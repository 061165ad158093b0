//go:build unix

package e2e_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gofrs/flock"
)

// service is a server of this machine that keeps what it gets.
type service struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = append(s.got, string(body))
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *service) messages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.got...)
}

// What became of a loop arrives at every channel, of the editor's loop and of a run alike, without a desktop too. A channel that
// fails costs a line in the log.
func TestNoticesArriveAtTheirChannels(t *testing.T) {
	t.Parallel()
	inChat := func(typed string, play func(c *chat)) func(*world) {
		return func(w *world) {
			c := w.chat()
			c.starts(typed)
			c.works()
			play(c)
		}
	}
	run := func(script string, exit int, args ...string) func(*world) {
		return func(w *world) {
			r := w.startRun(append([]string{"make @everyone green", "--agent-command", w.scriptedAgent(script)}, args...)...)
			r.ends(exit)
		}
	}
	const task = `"make @everyone green"`
	for _, tt := range []struct {
		name          string
		play          func(w *world)
		event, status string
		says          string
	}{
		{"a promise in a chat", inChat(task, func(c *chat) { c.says(done).concludes() }), "ended", "PROMISE_ACCEPTED", "Promise accepted after 1 iteration."},
		{"a limit in a chat", inChat(task+" --max-iterations 1", func(c *chat) { c.says("I'm done."); c.rests() }), "ended", "MAX_ITERATIONS_REACHED", "Max iterations reached after 1 iteration."},
		{"an error in a chat", inChat(task, func(c *chat) { c.fails() }), "paused", "paused", "Paused after 0 iterations. Reason: error."},
		{"a verification that cannot run", inChat(task+" --verify \"(./nothing.sh)\"", func(c *chat) { c.says(done).rests() }), "paused", "paused", "Paused after 0 iterations. Reason: verify."},
		{"blocked in a chat", inChat(task, func(c *chat) { c.goesOn(); c.runs(c.program() + " blocked 'secret words'"); c.rests() }), "ended", "BLOCKED", "Blocked after 1 iteration."},
		{"a promise in a run", run("echo '<promise>COMPLETE</promise>'; echo x >work\n", 0), "ended", "PROMISE_ACCEPTED", "Promise accepted after 1 iteration."},
		{"a limit in a run", run("echo x >work-$n\n", 1, "--max-iterations", "1"), "ended", "MAX_ITERATIONS_REACHED", "Max iterations reached after 1 iteration."},
		{"blocked in a run", run("\""+bin+"/cursor-ralph\" blocked 'secret words'\n", 1), "ended", "BLOCKED", "Blocked after 0 iterations."},
		{"an error in a run", run("exit 7\n", 1), "paused", "paused", "Paused after 0 iterations. Reason: error."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, usual())
			s := newService(t)
			at := strings.TrimPrefix(s.URL, "http://")
			w.extra = append(w.extra, "CURSOR_RALPH_NO_NOTIFY=", "DISPLAY=", "WAYLAND_DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=")
			told := filepath.Join(w.dir, "told")
			w.settings(`notify = ["desktop", "command:cat >>` + told + `", "generic://` + at + `/hunter2?disabletls=yes", "ntfy://me:hunter2@127.0.0.1:1/hunter2?scheme=http"]` + "\n")
			tt.play(w)
			w.until("the log of the channel that fails", func() bool { return strings.Contains(w.log(), "no notice by ntfy://…: connection refused (3 tries)") })
			messages := s.messages()
			if len(messages) != 1 || !strings.HasPrefix(messages[0], "Ralph loop in repo\n"+tt.says+" Loop ") || !strings.HasSuffix(messages[0], ": make ＠everyone green") {
				t.Errorf("got %q, want one with %q", messages, tt.says)
			}
			data, err := os.ReadFile(told)
			w.must(err)
			var n struct{ Event, Status, Workspace string }
			w.must(json.Unmarshal(data, &n))
			if n.Event != tt.event || n.Status != tt.status || n.Workspace != "repo" {
				t.Errorf("got %s", data)
			}
			for _, shown := range []string{w.log(), w.ok(w.repo(), "config"), w.ok(w.repo(), "list", "--all", "--json")} {
				w.wantNoPart("what is shown", shown, "hunter2")
			}
			for _, sent := range append(messages, string(data)) {
				w.wantNoPart("a notice", sent, "secret words")
				w.wantNoPart("a notice", sent, w.dir)
			}
			w.troubles = append(w.troubles, "no notice by ntfy")
			if strings.Contains(tt.name, "chat") {
				w.ok(w.repo(), "cancel", "--all")
			}
		})
	}
}

func TestATestOfNoticesSaysThatTheyAreOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usual())
	w.settings("notify = [\"command:true\"]\n")
	for variable, want := range map[string]string{"": "", "1": "cursor-ralph: loops send no notices: CURSOR_RALPH_NO_NOTIFY is set\n"} {
		w.extra = append(w.extra, "CURSOR_RALPH_NO_NOTIFY="+variable)
		if out, complaint, exit := w.terminal(w.repo(), "notify", "--test"); exit != 0 || complaint != want || !strings.Contains(out, "ok") {
			t.Errorf("CURSOR_RALPH_NO_NOTIFY=%s: got %d, %s%s, want %q", variable, exit, out, complaint, want)
		}
	}
}

// A command of --on-end that hangs holds up nothing, and one of a loop that no chat took does not run.
func TestTheCommandOfOnEndHoldsUpNothing(t *testing.T) {
	once(t, func(w *world) {
		c := w.chat()
		c.starts(`"make it green" --on-end 'echo $$ >agent.pid; exec sleep 1000'`)
		c.works()
		c.says(done).concludes() // this hook does not wait for it
		pid := w.pidIn("agent.pid")
		w.ok(w.repo(), "start", "never taken", "--on-end", "touch ../taken")
		w.ok(w.repo(), "cancel", "--all")
		if _, err := os.Stat(filepath.Join(w.repo(), "..", "taken")); err == nil {
			w.Error("the command of a loop that no chat took has run")
		}
		w.must(syscall.Kill(pid, syscall.SIGKILL))
		w.until("its end is logged", func() bool { return strings.Contains(w.log(), "event=on-end") })
	})
}

// Elsewhere than in its workspace the command of --on-end might do harm.
func TestTheCommandOfOnEndWithoutItsWorkspace(t *testing.T) {
	once(t, func(w *world) {
		c := w.chat()
		c.starts(`"make it green" --on-end 'touch "$HOME/ran"'`)
		c.works()
		w.must(os.Rename(w.repo(), w.repo()+"-moved"))
		w.ok(w.dir, "cancel", c.ID)
		w.until("its end is logged", func() bool {
			return strings.Contains(w.log(), "it did not run: the loop's folder")
		})
		w.must(os.Rename(w.repo()+"-moved", w.repo()))
		c.rests()
		if _, err := os.Stat(filepath.Join(w.dir, "home", "ran")); err == nil {
			w.Error("it has run")
		}
	})
}

// A stop that cannot be decided leaves the loop where it is, and nothing in the chat shows it: the user gets one notice.
func TestAStopThatCannotBeDecidedIsNoticedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usual())
	s := newService(t)
	w.extra = append(w.extra, "CURSOR_RALPH_NO_NOTIFY=", "DISPLAY=", "WAYLAND_DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=")
	w.settings(`notify = ["generic://` + strings.TrimPrefix(s.URL, "http://") + `/x?disabletls=yes"]` + "\n")
	w.troubles = append(w.troubles, "context deadline exceeded", "lock")
	c := w.chat()
	c.starts(`"make it green"`)
	c.works()
	c.goesOn()
	locks, err := filepath.Glob(filepath.Join(w.pending(), ".loop-*.lock"))
	w.must(err)
	var held []*flock.Flock
	for _, path := range locks {
		lock := flock.New(path)
		w.must(lock.Lock())
		held = append(held, lock)
	}
	c.says("I am at it.")
	c.rests()
	w.until("a notice", func() bool { return len(s.messages()) > 0 })
	c.types("go on")
	c.says("I am at it.")
	c.rests()
	for _, lock := range held {
		w.must(lock.Unlock())
	}
	if got := s.messages(); len(held) == 0 || len(got) != 1 || !strings.Contains(got[0], "another process holds its lock") || !strings.Contains(got[0], "cursor-ralph doctor") {
		t.Errorf("%d locks: got %q", len(held), got)
	}
	c.types("go on")
	c.works()
	c.says(done).concludes()
	w.until("the notice of the end", func() bool { return len(s.messages()) == 2 })
}
