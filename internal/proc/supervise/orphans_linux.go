package supervise

import (
	"os"
	"os/signal"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// orphans are processes of the tree whose parent has ended: as a subreaper we are their
// parent now. Whatever the tree starts and leaves becomes our child at some time, which
// is how it is found. Children that we had before do not belong to the tree.
type orphans struct {
	before []proc.Stat
	died   chan os.Signal
	done   chan struct{} // closed when watch has returned

	mu  sync.Mutex
	pid int // of the command itself, which exec.Cmd waits for; 0 before it is started
}

func adopt() *orphans {
	o := &orphans{before: children(), died: make(chan os.Signal, 1), done: make(chan struct{})}
	// If the kernel refuses, we find only the group.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	signal.Notify(o.died, unix.SIGCHLD)
	go o.watch()
	return o
}

func (o *orphans) begin(pid int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pid = pid
}

func (o *orphans) close() {
	signal.Stop(o.died)
	close(o.died)
	<-o.done
	o.reap()
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
}

// watch keeps the orphans that have ended from staying as zombies.
func (o *orphans) watch() {
	defer close(o.done)
	for range o.died {
		o.reap()
	}
}

func (o *orphans) reap() { o.each(func(proc.Stat) {}) }

// kill kills the orphans and reports whether it found any. One that ends while we look
// stays a zombie, and counts as found: it may have started another.
func (o *orphans) kill() (found bool) {
	o.each(func(s proc.Stat) {
		found = true
		_ = unix.Kill(s.PID, unix.SIGKILL) // an error: it has ended
	})
	return found
}

// each calls do for the orphans, and then waits for those that have ended.
func (o *orphans) each(do func(proc.Stat)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pid == 0 {
		return
	}
	var ended []int
	for _, s := range children() {
		if s.PID == o.pid || slices.ContainsFunc(o.before, func(b proc.Stat) bool { return b.PID == s.PID && b.Started == s.Started }) {
			continue
		}
		do(s)
		if s.Ended {
			ended = append(ended, s.PID)
		}
	}
	for _, pid := range ended {
		_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // it has ended, so this succeeds
	}
}

// children returns our child processes, none if /proc is missing or shows another
// namespace, whose ids mean other processes here.
func children() (found []proc.Stat) {
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return nil
	}
	entries, _ := os.ReadDir("/proc") // we use what we can read
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if s, ok := proc.ReadStat(pid); ok && s.Parent == os.Getpid() {
				found = append(found, s)
			}
		}
	}
	return found
}
