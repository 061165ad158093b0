package onevent

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
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
		t.Logf("%v: %s", err, out)
		t.Skip("needs strace")
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
	t.Parallel()
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

// TestWaitForLateWordsWatchesTheJournalAlone: a stop at a limit waits a second for the
// words that it may have overtaken.
func TestWaitForLateWordsWatchesTheJournalAlone(t *testing.T) {
	t.Parallel()
	needsStrace(t)
	const most = 200 // besides watching; one decision takes some dozens
	w := newWorld(t)
	w.write(w.places.Live(me), with("the task", fields{"max_iterations": 1}))
	var watched int
	var others []string
	for _, call := range w.calls(w.stopEvent(me)) {
		if strings.Contains(call, "stat") && strings.Contains(call, `"`+w.places.Journal(me)+`"`) {
			watched++
		} else {
			others = append(others, call)
		}
	}
	if watched < 5 || len(others) > most {
		t.Errorf("got %d looks at the journal and %d other calls, want at most %d:\n%s", watched, len(others), most, strings.Join(others, "\n"))
	}
	if got := w.recorded(me).Status; got != loop.MaxIterations {
		t.Errorf("got %s, want the limit", got)
	}
}
