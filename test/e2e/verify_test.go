//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/procs"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// The agent claims to be done three times; the third time it is true.
func TestAPromiseCountsWhenItsVerificationPasses(t *testing.T) {
	each(t, without(few(), late), func(w *world) {
		w.write(filepath.Join(w.repo(), "check.sh"), "echo ran >>../ran; seq 1 100; echo checked in $PWD; test -e good\n")
		c := w.chat()
		c.starts(`"make it green" --verify "sh ./check.sh"`)
		c.works()
		for i := range 2 {
			text := c.says(done).goesOn()
			w.wantPart("continuation", text, refused+"`sh ./check.sh` failed with exit 1. The end of its output:\n```\n42\n")
			w.wantPart("continuation", text, "\n100\nchecked in "+w.repo()+"\n```\n")
			w.wantNoPart("continuation", text, "\n41\n")
			w.wantPart("continuation", text, framed("make it green"))
			w.wantStatus(c.ID, "running", i+1)
		}
		c.runs("touch good")
		c.isAccepted(done, 3)
		w.wantLines(filepath.Join(w.repo(), "..", "ran"), 3)
	})
}

// wantLines counts the lines of a file.
func (w *world) wantLines(path string, want int) {
	w.Helper()
	data, err := os.ReadFile(path)
	w.must(err)
	if got := strings.Count(string(data), "\n"); got != want {
		w.Errorf("%s: got %d lines, want %d:\n%s", path, got, want, data)
	}
}

// Where Cursor reports the words after the stop, the promise is found one turn
// later. That of a loop that a limit has ended counts if nothing has to be run for it.
func TestALatePromiseOfALoopThatHasEnded(t *testing.T) {
	t.Parallel()
	for gate, want := range map[string]string{"": "PROMISE_ACCEPTED", ` --verify "touch ../ran"`: "MAX_ITERATIONS_REACHED"} {
		t.Run("with the gate"+gate, func(t *testing.T) {
			each(t, []variant{option("words after the stop", func(o *simcursor.Options) { o.LateResponse = simcursor.AfterStop })}, func(w *world) {
				c := w.chat()
				c.starts(`"make it green" --max-iterations 1` + gate)
				c.works()
				c.says(done).rests()
				w.until("what became of the late words", func() bool {
					h := w.status(c.ID).History
					return len(h) == 1 && h[0].Promise != "none"
				})
				if h := w.wantStatus(c.ID, want, 1).History[0]; gate != "" && h.Refused != "promised late, not checked" {
					w.Errorf("got %+v", h)
				}
				if _, err := os.Stat(filepath.Join(w.repo(), "..", "ran")); err == nil {
					w.Error("a command ran for a loop that is over")
				}
			})
		})
	}
}

// slow is a verification that says when it runs, and ends when it may.
const slow = "touch ../running; while ! test -e ../go; do sleep 0.02; done; rm ../go"

func verifying(w *world) *chat {
	w.Helper()
	c := w.chat()
	c.starts(`"make it green" --verify "` + slow + `"`)
	c.works()
	c.says(done)
	c.begin(nil)
	w.waitFor(filepath.Join(w.repo(), "..", "running"))
	return c
}

func (w *world) letGo() { w.write(filepath.Join(w.repo(), "..", "go"), "") }

func TestWhileAPromiseIsVerified(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meanwhile func(*world, *chat)
		status    string
		done      int
	}{
		"status says so": {func(w *world, c *chat) {
			w.wantPart("status", w.ok(w.repo(), "status", c.ID), "it runs now, for ")
			w.wantPart("chip", w.ok(w.repo(), "status", "--json", c.ID), "Loop • Running (verifying) • Iter 1/20")
		}, "PROMISE_ACCEPTED", 1},
		"a note is no trouble": {func(w *world, c *chat) {
			w.ok(w.repo(), "note", c.ID, "half")
			w.ok(w.repo(), "context", c.ID, "Mind the gap.")
		}, "PROMISE_ACCEPTED", 1},
		"continue has to wait": {func(w *world, c *chat) {
			w.wantPart("continue", w.refused(w.repo(), "continue", c.ID), "the promise of this loop is being verified")
		}, "PROMISE_ACCEPTED", 1},
	} {
		t.Run(name, func(t *testing.T) {
			once(t, func(w *world) {
				c := verifying(w)
				tt.meanwhile(w, c)
				w.letGo()
				c.next()
				if c.turn != nil {
					w.Errorf("the agent was sent %q", c.turn.Message)
				}
				w.wantStatus(c.ID, tt.status, tt.done)
			})
		})
	}
}

// A promise paused while it was verified is not lost: continue verifies it.
func TestContinueVerifiesAPromise(t *testing.T) {
	once(t, func(w *world) {
		c := verifying(w)
		w.ok(w.repo(), "pause", c.ID)
		w.letGo()
		c.next()
		c.types("/ralph-loop --continue " + c.ID)
		w.letGo()
		out, exit := c.tries(c.handOver())
		if exit != 1 {
			w.Errorf("continue: got exit code %d: %s", exit, out)
		}
		w.wantPart("continue", out, "the loop is over: its promise was accepted")
		c.rests()
		l := w.wantStatus(c.ID, "PROMISE_ACCEPTED", 1)
		if h := l.History[0]; h.Promise != "accepted" || len(h.Files) != 1 || h.Tools["Write"] != 1 {
			w.Errorf("got the record %+v, want the file and the promise in it", h)
		}
	})
}

// What runs a verification ends with whoever waits for it.
func TestAKilledHookLeavesNoVerificationBehind(t *testing.T) {
	once(t, func(w *world) {
		c := w.chat()
		c.starts(`"make it green" --verify "echo $$ >../pid; mv ../pid ../running; sleep 600"`)
		c.works()
		c.says(done)
		c.begin(nil)
		running := filepath.Join(w.repo(), "..", "running")
		w.waitFor(running)
		pid, err := strconv.Atoi(w.line(running))
		w.must(err)
		w.broken = append(w.broken, "exit code 137") // that is us
		w.must(syscall.Kill(w.parent(w.parent(pid)), syscall.SIGKILL))
		c.next()
		w.until("the end of the verification", func() bool {
			return syscall.Kill(pid, 0) != nil
		})
		w.until("the end of the wait", func() bool { return w.status(c.ID).Status == "waiting" })
		w.wantPart("status", w.ok(w.repo(), "status", c.ID), c.line())
		c.types("Go on.")
		w.must(os.Remove(running))
		c.says("Nothing is left. " + done) // the user's message took the first promise away
		c.begin(nil)
		w.waitFor(running)
		w.ok(w.repo(), "cancel", c.ID) // which ends it
		c.next()
	})
}

// line is the one line of a file.
func (w *world) line(path string) string {
	w.Helper()
	data, err := os.ReadFile(path)
	w.must(err)
	return strings.TrimSpace(string(data))
}

// parent is the process that started another.
func (w *world) parent(pid int) int {
	w.Helper()
	parent, err := procs.Parent(pid)
	w.must(err)
	return parent
}

func TestAVerificationThatCursorWouldNotWaitForIsRefused(t *testing.T) {
	each(t, few()[:2], func(w *world) {
		w.wantPart("start", w.refused(w.repo(), "start", "make it green", "--verify", "true", "--gate-timeout", "56m"),
			"--gate-timeout 56m is more than Cursor waits for")
		c := w.chat()
		c.types(`/ralph-loop "make it green" --verify true --gate-timeout 56m`)
		if c.turn != nil {
			out, _ := c.tries(c.handOver())
			w.wantPart("slash", out, "--gate-timeout 56m is more than Cursor waits for")
			c.rests()
		} else {
			w.wantPart("shown", c.shown(), "--gate-timeout 56m is more than Cursor waits for")
		}
		w.wantNoLoops()
		c.starts(`"make it green" --verify true --gate-timeout 55m`)
		c.works()
		c.isAccepted(done, 1)
	})
}

func TestAVerificationRunsInTheUsersShell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, with("bash", func(v *variant) { v.shell = "/bin/bash" }))
	c := w.chat()
	c.starts(`"make it green" --verify "echo $0; false"`)
	c.works()
	w.wantPart("continuation", c.says(done).goesOn(), "```\n/bin/bash\n```")
	c.stops()
}
