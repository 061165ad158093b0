package supervise

import (
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// descendants finds the tree's processes below us in /proc: as a subreaper we become
// the parent of its orphans. Children that we had before do not belong to the tree.
type descendants struct {
	cmd    *exec.Cmd
	before []proc.Stat
	died   chan os.Signal
	reaps  atomic.Int64  // orphans that we have waited for
	reaped chan struct{} // closed when reap has returned
}

func startWithDescendants(cmd *exec.Cmd) (*descendants, error) {
	d := &descendants{cmd: cmd, before: below(os.Getpid()), died: make(chan os.Signal, 1), reaped: make(chan struct{})}
	// If the kernel refuses, we find only processes that keep their parents.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	signal.Notify(d.died, unix.SIGCHLD)
	err := cmd.Start()
	go d.reap() // after the start: it must not wait for the command itself
	if err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *descendants) close() {
	signal.Stop(d.died)
	close(d.died)
	<-d.reaped
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
}

// reap waits for orphans that have ended, which would otherwise stay as zombies. After
// close it looks once more.
func (d *descendants) reap() {
	defer close(d.reaped)
	for open := true; open; {
		_, open = <-d.died
		for _, s := range d.all() {
			if d.isEndedOrphan(s) {
				d.reaps.Add(1)                                   // first: signal must see either the orphan or this
				_, _ = unix.Wait4(s.PID, nil, unix.WNOHANG, nil) // it has ended, so this succeeds
			}
		}
	}
}

// isEndedOrphan reports whether a process has ended and we must wait for it. exec.Cmd
// waits for the command itself.
func (d *descendants) isEndedOrphan(s proc.Stat) bool {
	return s.Ended && s.Parent == os.Getpid() && (d.cmd.Process == nil || s.PID != d.cmd.Process.Pid)
}

// signal sends a signal, unless it is 0, to the whole tree or to the processes in the
// command's session, and reports whether it found any.
//
// One look at /proc can miss processes that start another and end, again and again. But
// while any of them lives, one is our child, and if it ends during the look, we see it
// as an ended orphan or have reaped it. So both count as found.
func (d *descendants) signal(all bool, s syscall.Signal) (found bool) {
	leader, reaps := d.cmd.Process.Pid, d.reaps.Load()
	_ = syscall.Kill(-leader, s) // first, and also without /proc
	for _, m := range d.all() {
		switch {
		case m.Ended:
			found = found || all && d.isEndedOrphan(m)
		case all || m.Session == leader:
			found = true
			if m.Group != leader {
				_ = syscall.Kill(m.PID, s) // an error: it has ended
			}
		}
	}
	return found || all && d.reaps.Load() != reaps
}

// all returns the tree's processes, including zombies.
func (d *descendants) all() []proc.Stat { return below(os.Getpid(), d.before...) }

// below returns all descendants of a process, without some of them and their
// descendants. It returns nothing if /proc is missing or shows another namespace, whose
// ids mean other processes here.
func below(root int, except ...proc.Stat) (found []proc.Stat) {
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return nil
	}
	children := map[int][]proc.Stat{}
	entries, _ := os.ReadDir("/proc") // we use what we can read
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if s, ok := proc.ReadStat(pid); ok {
			children[s.Parent] = append(children[s.Parent], s)
		}
	}
	isExcept := func(s proc.Stat) bool {
		return slices.ContainsFunc(except, func(e proc.Stat) bool { return e.PID == s.PID && e.Started == s.Started })
	}
	for next := []int{root}; len(next) > 0; next = next[1:] {
		for _, s := range children[next[0]] {
			if !isExcept(s) {
				found, next = append(found, s), append(next, s.PID)
			}
		}
	}
	return found
}
