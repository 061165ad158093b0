package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

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

// calls runs a hook and returns its system calls that name our files.
func (w world) calls(event string) (calls []string) {
	w.Helper()
	out := filepath.Join(w.T.TempDir(), "calls")
	w.wrap = []string{"strace", "-f", "-qq", "-s", "1000", "-o", out, "-e", "trace=%file,?getdents64,?write,?fsync,?flock,?fchmod,?ftruncate"}
	w.rests(event)
	data, err := os.ReadFile(out)
	w.must(err)
	for line := range strings.Lines(string(data)) {
		// A write goes to our files unless it is the answer, or wakes a thread of
		// the runtime.
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

// TestCallBesideTheClaimCounts stops a hook between its two looks for a loop, at
// the pending file and at the live one, while another hook claims.
func TestCallBesideTheClaimCounts(t *testing.T) {
	needsStrace(t)
	w := newWorld(t)
	w.write(w.pending(me), seven("the task"))
	late := w
	for _, path := range []string{w.pending(me), w.places.Live(me)} {
		late.wrap = append(late.wrap, "-P", path)
	}
	late.wrap = slices.Concat([]string{"strace", "-f", "-qq", "-o", os.DevNull}, late.wrap,
		[]string{"-e", "inject=newfstatat,fstatat64,lstat:delay_exit=1s:when=1"})
	slow := late.start(w.uses(me, "call-1"))
	time.Sleep(500 * time.Millisecond) // until it has looked once
	w.rests(w.uses(me, "call-2"))
	slow.answer()
	w.followup(w.stopEvent(me))
	if got := w.live(me).ToolCalls; got != 2 {
		t.Errorf("got %d tool calls, want 2", got)
	}
}

// TestEventWithoutALoopStartsNoPoller: the first timer, and the first file that
// os.Open opens, make the runtime's poller, and a thread that waits in it.
func TestEventWithoutALoopStartsNoPoller(t *testing.T) {
	needsStrace(t)
	w := newWorld(t)
	for name, event := range w.idleEvents() {
		out := filepath.Join(t.TempDir(), "calls")
		w.wrap = []string{"strace", "-f", "-qq", "-o", out, "-e", "trace=?epoll_create,?epoll_create1,?eventfd2,exit_group"}
		w.rests(event)
		data, err := os.ReadFile(out)
		w.must(err)
		if got := string(data); strings.Contains(got, "epoll") || !strings.Contains(got, "exit_group") {
			t.Errorf("%s: got %q, want a process that ends without a poller", name, got)
		}
	}
}
