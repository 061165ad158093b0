package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// changing are the system calls that change files or locks. Those that an
// architecture does not have are left out.
const changing = "?openat,?write,?pwrite64,?rename,?renameat,?renameat2,?unlink,?unlinkat,?mkdir,?mkdirat,?fsync,?flock,?chmod,?fchmodat,?ftruncate,?utimensat"

// needsStrace skips a test where there is no strace, but not in CI.
func needsStrace(t *testing.T) {
	t.Helper()
	out, err := exec.Command("strace", "-qq", "-o", os.DevNull, "true").CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("strace does not work: %v: %s", err, out)
	default:
		t.Skipf("strace does not work: %v: %s", err, out)
	}
}

// TestHookKilledAtEveryStep kills hooks before each of their system calls that
// change something, one after the other.
func TestHookKilledAtEveryStep(t *testing.T) {
	needsStrace(t)
	var tally tally
	limit := make(chan struct{}, 4)
	var group sync.WaitGroup
	for i, scene := range scenes {
		group.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			step := 1
			for again := 0; !t.Failed(); {
				k := &stepping{killing: killing{world: newWorld(t), id: fmt.Sprint("chat-", i), tally: &tally}, step: step}
				k.kill = k.beforeCall
				scene.play(&k.killing)
				k.leftOvers()
				switch {
				case t.Failed():
					t.Errorf("in: %s, killed before call %d", scene.name, step)
				case k.elsewhere && again < 10:
					again++
				case !k.reached:
					if step < 10 {
						t.Errorf("%s: got %d steps, want those of a hook", scene.name, step)
					}
					return
				default:
					step, again = step+1, 0
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d hooks were killed", tally.killed.Load())
}

// stepping kills hooks before one of their calls. strace counts the calls of
// each thread, and Go may change the thread: then it is another one.
type stepping struct {
	killing
	step               int
	reached, elsewhere bool
}

func (k *stepping) beforeCall(event string) (killed bool) {
	k.Helper()
	w := k.world
	out := filepath.Join(w.dir, "calls")
	w.wrap = []string{"strace", "-f", "-qq", "-o", out, "-e", "trace=" + changing,
		"-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", changing, k.step)}
	p := w.start(event)
	defer p.cancel()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.Exited()) {
		k.Errorf("got %v: %s", err, &p.stderr)
	}
	data, readErr := os.ReadFile(out)
	w.must(errors.Join(readErr, os.Remove(out)))
	n := 0
	for line := range strings.Lines(string(data)) {
		if call, _, ok := strings.Cut(line, "("); ok && !strings.ContainsAny(call, "<+-") {
			n++
		}
	}
	killed = err != nil
	k.reached = k.reached || killed
	k.elsewhere = k.elsewhere || n > k.step || !killed && n == k.step
	return killed
}

// calls runs a hook and gives its system calls that name our files.
func (w world) calls(event string) (calls []string) {
	w.Helper()
	out := filepath.Join(w.T.TempDir(), "calls")
	w.wrap = []string{"strace", "-f", "-qq", "-s", "1000", "-o", out, "-e", "trace=%file,?getdents64,?write,?fsync,?flock,?fchmod,?ftruncate"}
	w.rests(event)
	data, err := os.ReadFile(out)
	w.must(err)
	for line := range strings.Lines(string(data)) {
		// A write is one to a file of ours unless it is the answer, or wakes a
		// thread of the runtime.
		named := strings.Contains(line, w.dir) && !strings.Contains(line, "execve(")
		changes := strings.Contains(line, "fsync(") || strings.Contains(line, "flock(")
		if named || changes {
			calls = append(calls, strings.TrimSpace(line))
		}
	}
	return calls
}

// TestEventWithoutALoopCostsAHandfulOfCalls counts the system calls that
// concern our files; none of them may change one.
func TestEventWithoutALoopCostsAHandfulOfCalls(t *testing.T) {
	needsStrace(t)
	const handful = 9
	w := newWorld(t)
	for name, event := range w.idleEvents() {
		calls := w.calls(event)
		if len(calls) > handful {
			t.Errorf("%s: got %d calls, want at most %d:\n%s", name, len(calls), handful, strings.Join(calls, "\n"))
		}
		if len(calls) == 0 {
			t.Errorf("%s: got no calls, so that something is wrong with counting them", name)
		}
		for _, call := range calls {
			for _, word := range []string{"O_CREAT", "O_WRONLY", "O_RDWR", "rename", "unlink", "mkdir", "flock", "fsync", "chmod", "utimens"} {
				if strings.Contains(call, word) {
					t.Errorf("%s: got %s", name, call)
				}
			}
		}
	}
}
