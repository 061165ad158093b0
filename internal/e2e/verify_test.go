//go:build unix

package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// The agent claims to be done three times; the third time it is true.
func TestAPromiseCountsWhenItsVerificationPasses(t *testing.T) {
	each(t, without(everything(), late), func(w *world) {
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
		c.says(done).rests()
		w.wantStatus(c.ID, "PROMISE_ACCEPTED", 3)
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
// later, or in the record of a loop that a limit has ended.
func TestALatePromiseIsVerifiedToo(t *testing.T) {
	for _, good := range []bool{true, false} {
		t.Run(fmt.Sprintf("good %t", good), func(t *testing.T) {
			each(t, []variant{option("words after the stop", func(o *simcursor.Options) { o.LateResponse = simcursor.AfterStop })}, func(w *world) {
				c := w.chat()
				c.starts(`"make it green" --max-iterations 1 --verify "test -e good"`)
				c.works()
				if good {
					c.runs("touch good")
				}
				c.says(done).rests()
				want, promise := "MAX_ITERATIONS_REACHED", "refused"
				if good {
					want, promise = "PROMISE_ACCEPTED", "accepted"
				}
				w.await("the verification of the late words", func() bool {
					h := w.status(c.ID).History
					return len(h) == 1 && h[0].Promise == promise
				})
				w.wantStatus(c.ID, want, 1)
			})
		})
	}
}

// await waits for what another process brings about.
func (w *world) await(what string, ready func() bool) {
	w.Helper()
	for !ready() {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-w.ctx.Done():
			w.Fatalf("%s does not come", what)
		}
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
	for name, tt := range map[string]struct {
		meanwhile func(*world, *chat)
		status    string
		done      int
	}{
		"status says so": {func(w *world, c *chat) {
			w.wantPart("status", w.ok(w.repo(), "status", c.ID), "it runs now, since ")
			w.wantPart("status --line", w.ok(w.repo(), "status", "--line", c.ID), "Loop • Verifying • Iter 0/20")
		}, "PROMISE_ACCEPTED", 1},
		"cancel wins": {func(w *world, c *chat) { w.ok(w.repo(), "cancel", c.ID) }, "CANCELLED", 0},
		"a stop by hand wins": {func(w *world, c *chat) {
			w.change(w.live(c.ID), map[string]any{"stop": true})
		}, "USER_STOPPED", 0},
		"pause wins": {func(w *world, c *chat) { w.ok(w.repo(), "pause", c.ID) }, "paused", 0},
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

func TestContextAddedWhileAPromiseIsVerifiedIsDelivered(t *testing.T) {
	once(t, func(w *world) {
		c := w.chat()
		c.starts(`"make it green" --verify "` + slow + `; false"`)
		c.works()
		c.says(done)
		c.begin(nil)
		w.waitFor(filepath.Join(w.repo(), "..", "running"))
		w.ok(w.repo(), "context", c.ID, "Mind the gap.")
		w.letGo()
		c.next()
		w.wantPart("continuation", c.turn.Message, "Mind the gap.")
		c.stops()
	})
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
		pid := w.line(running)
		w.broken = append(w.broken, "exit code 137") // that is us
		w.must(exec.Command("kill", "-KILL", w.parent(w.parent(pid))).Run())
		c.next()
		w.await("the end of the verification", func() bool {
			return exec.Command("kill", "-0", pid).Run() != nil
		})
		w.await("the end of the wait", func() bool { return w.status(c.ID).Status == "waiting" })
		w.wantPart("status", w.ok(w.repo(), "status", c.ID), "/ralph-loop --continue "+c.ID)
		c.types("Go on.")
		w.must(os.Remove(running))
		c.begin(nil)
		w.waitFor(running) // the promise is still there
		w.ok(w.repo(), "cancel", c.ID)
		w.must(exec.Command("kill", w.line(running)).Run())
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
func (w *world) parent(pid string) string {
	w.Helper()
	out, err := exec.Command("ps", "-o", "ppid=", "-p", pid).Output()
	w.must(err)
	return strings.TrimSpace(string(out))
}

func TestAVerificationThatForksLeavesNothingBehind(t *testing.T) {
	once(t, func(w *world) {
		mark := fmt.Sprint("60", time.Now().UnixNano()%1e9) // of these processes alone
		script := "trap '' TERM; for i in 1 2 3; do (trap '' TERM; sleep " + mark + "; sleep " + mark + ") & setsid sleep " + mark + " & done; sleep " + mark + "; sleep " + mark + "\n"
		w.write(filepath.Join(w.repo(), "check.sh"), script)
		c := w.chat()
		c.starts(`"make it green" --verify "sh check.sh" --verify-timeout 500ms`)
		c.works()
		w.wantPart("continuation", c.says(done).goesOn(), "it did not end within 500ms and was killed")
		if out, err := exec.Command("pgrep", "-f", "sleep "+mark).Output(); err == nil {
			w.Errorf("still there: %s", out)
		}
		c.stops()
	})
}

func TestAScriptThatTheAgentChangedIsTold(t *testing.T) {
	each(t, few()[:2], func(w *world) {
		check := filepath.Join(w.repo(), "check.sh")
		w.write(check, "exit 1\n")
		c := w.chat()
		c.starts(`"make it green" --verify "sh check.sh"`)
		c.works()
		c.says(done).goesOn()
		c.runs("echo exit 0 >check.sh")
		c.says(done).rests()
		l := w.wantStatus(c.ID, "PROMISE_ACCEPTED", 2)
		w.wantPart("reason", l.Reason, "accepted with a warning: "+check+" changed since the loop began, and the verification runs it")
	})
}

func TestAVerificationThatCursorWouldNotWaitForIsRefused(t *testing.T) {
	each(t, few()[:2], func(w *world) {
		w.wantPart("start", w.refused(w.repo(), "start", "make it green", "--verify", "true", "--verify-timeout", "11m"),
			"--verify-timeout 11m0s is more than Cursor waits for")
		c := w.chat()
		c.types(`/ralph-loop "make it green" --verify true --verify-timeout 11m`)
		if c.turn != nil {
			out, _ := c.tries(c.handOver())
			w.wantPart("slash", out, "--verify-timeout 11m0s is more than Cursor waits for")
			c.rests()
		} else {
			w.wantPart("shown", c.shown(), "--verify-timeout 11m0s is more than Cursor waits for")
		}
		w.wantNoLoops()
		w.ok(w.repo(), "install", "--verify-timeout", "11m")
		c.starts(`"make it green" --verify true --verify-timeout 11m`)
		c.works()
		c.says(done).rests()
		w.wantStatus(c.ID, "PROMISE_ACCEPTED", 1)
	})
}

// Random agents, users and Cursors: a promise ends the loop when the file is
// there, at once, and never before.
func TestRandomRunsWithAVerification(t *testing.T) {
	t.Parallel()
	variants := without(everything(), late)
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		v := variants[r.IntN(len(variants))]
		t.Run(fmt.Sprint(seed, " ", v.name), func(t *testing.T) {
			t.Parallel()
			randomVerified(newWorld(t, v), r)
		})
	}
}

func randomVerified(w *world, r *rand.Rand) {
	w.Helper()
	c := w.chat()
	c.starts(`"make it green" --verify "test -e good"`)
	c.works()
	for range 6 {
		switch r.IntN(5) {
		case 0:
			c.notes("half of it, " + done + " is near")
		case 1:
			w.ok(w.repo(), "context", c.ID, fmt.Sprint("note ", r.Uint32()))
		case 2:
			c.works()
		case 3:
			c.change(c.live(c.ID), map[string]any{"last_output": "COMPLETE"})
		}
		honest := r.IntN(4) == 0
		if honest {
			c.runs("touch good")
		}
		c.says([]string{done, "It is done.\n```\n" + done + "\n```", done + " " + done}[r.IntN(3)])
		if honest {
			c.rests()
			w.wantStatus(c.ID, "PROMISE_ACCEPTED", w.status(c.ID).Iterations)
			return
		}
		w.wantPart("continuation", c.goesOn(), refused+"`test -e good` failed with exit 1.")
	}
	c.stops()
}

// The editor is not held by a verification that nobody wants any more.
func TestWhatEndsALoopEndsItsVerification(t *testing.T) {
	for name, end := range map[string]func(*world, *chat){
		"cancel":         func(w *world, c *chat) { w.ok(w.repo(), "cancel", c.ID) },
		"a stop by hand": func(w *world, c *chat) { w.change(w.live(c.ID), map[string]any{"stop": true}) },
		"pause":          func(w *world, c *chat) { w.ok(w.repo(), "pause", c.ID) },
	} {
		t.Run(name, func(t *testing.T) {
			once(t, func(w *world) {
				c := w.chat()
				c.starts(`"make it green" --verify "echo $$ >../pid; mv ../pid ../running; sleep 600"`)
				c.works()
				c.says(done)
				c.begin(nil)
				running := filepath.Join(w.repo(), "..", "running")
				w.waitFor(running)
				end(w, c)
				c.next()
				if c.turn != nil {
					w.Errorf("the agent was sent %q", c.turn.Message)
				}
				if pid := w.line(running); exec.Command("kill", "-0", pid).Run() == nil {
					w.Errorf("the verification still runs as %s", pid)
				}
			})
		})
	}
}

// The archive is full or gone: what is decided holds all the same.
func TestAPromiseIsVerifiedWithoutAnArchive(t *testing.T) {
	once(t, func(w *world) {
		w.troubles = append(w.troubles, "archive: ", ".session-limits.json")
		c := w.chat()
		c.starts(`"make it green" --verify "test -e good"`)
		c.works()
		w.must(os.RemoveAll(w.archive()))
		w.write(w.archive(), "no folder")
		w.wantPart("continuation", c.says(done).goesOn(), refused)
		c.runs("touch good")
		c.says(done).rests()
		w.wantPart("log", w.log(), "why=\"promise accepted\"")
		w.must(os.Remove(w.archive()))
	})
}

// Somebody else's repository may have anything in the place of hooks.json.
func TestAStartIsNotHeldByAHostileProject(t *testing.T) {
	for name, make := range map[string][]string{
		"a pipe":          {"mkfifo", ".cursor/hooks.json"},
		"an endless file": {"ln", "-s", "/dev/zero", ".cursor/hooks.json"},
	} {
		t.Run(name, func(t *testing.T) {
			once(t, func(w *world) {
				w.must(os.MkdirAll(filepath.Join(w.repo(), ".cursor"), 0o755))
				cmd := exec.Command(make[0], make[1:]...)
				cmd.Dir = w.repo()
				w.must(cmd.Run())
				w.ok(w.repo(), "start", "make it green", "--verify", "true")
				w.ok(w.repo(), "loop-mode", "on", "--verify", "true")
			})
		})
	}
}

func TestAScriptChangedInTheFirstTurnIsTold(t *testing.T) {
	once(t, func(w *world) {
		check := filepath.Join(w.repo(), "check.sh")
		w.write(check, "exit 1\n")
		c := w.chat()
		c.types(`/ralph-loop "make it green" --verify "sh check.sh && make"`) // and nothing is run as the Markdown says
		c.runs("echo exit 0 >check.sh; printf 'all:\\n' >GNUmakefile")
		c.says(done).rests()
		l := w.status(c.ID)
		w.wantPart("reason", l.Reason, "GNUmakefile, "+check+" changed since the loop began")
	})
}

// Cursor kills a hook at its entry's timeout, and takes no answer then.
func TestAVerificationEndsBeforeCursorKillsTheHook(t *testing.T) {
	once(t, func(w *world) {
		hooks := filepath.Join(w.home(), ".cursor", "hooks.json")
		data, err := os.ReadFile(hooks)
		w.must(err)
		c := w.chat()
		c.starts(`"make it green" --verify "sleep 20"`)
		w.write(hooks, strings.Replace(string(data), "--session-limit auto --timeout 660", "--session-limit auto --timeout 2", 1))
		c.works()
		w.wantPart("continuation", c.says(done).goesOn(), "it did not end within 1s and was killed")
		c.stops()
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
