package gate

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// kin is what a command has started. What loses its parent becomes our child,
// so that all of it is found below us; a child that we had before is no part of
// it.
type kin struct {
	cmd    *exec.Cmd
	before []member
	died   chan os.Signal
	reaps  atomic.Int64  // how many orphans we have waited for
	reaped chan struct{} // closed when nobody reaps any more
}

func startKin(cmd *exec.Cmd) (*kin, error) {
	t := &kin{cmd: cmd, before: members(os.Getpid()), died: make(chan os.Signal, 1), reaped: make(chan struct{})}
	// A kernel that refuses this leaves us what keeps its parents.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	signal.Notify(t.died, unix.SIGCHLD)
	err := cmd.Start()
	go t.reap() // not before: it must know which child is not its to wait for
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *kin) close() {
	signal.Stop(t.died)
	close(t.died)
	<-t.reaped
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
}

// reap waits for adopted children that have ended: who asks whether one still
// runs is told so until then. At the end it looks once more.
func (t *kin) reap() {
	defer close(t.reaped)
	for open := true; open; {
		_, open = <-t.died
		for _, m := range t.members() {
			if t.endedOrphan(m) {
				t.reaps.Add(1)                                   // first: who looks meanwhile must see either it or this
				_, _ = unix.Wait4(m.pid, nil, unix.WNOHANG, nil) // it has ended, so this does it
			}
		}
	}
}

// endedOrphan tells whether a process has ended and is ours to wait for. For
// the command itself somebody else waits.
func (t *kin) endedOrphan(m member) bool {
	return m.ended && m.parent == os.Getpid() && (t.cmd.Process == nil || m.pid != t.cmd.Process.Pid)
}

// signal sends a signal to all of the tree, or to what has not moved to another
// session, and tells whether there was anything. The signal 0 is none.
//
// Processes that start another and end, again and again, can be missed by a
// look that takes its time. But as long as any lives one lives that is our
// child, and if that ends meanwhile it is found as an ended orphan, or was
// waited for: so that counts as something.
func (t *kin) signal(all bool, s syscall.Signal) (found bool) {
	leader, reaps := t.cmd.Process.Pid, t.reaps.Load()
	_ = syscall.Kill(-leader, s) // at once, and also where /proc tells nothing
	for _, m := range t.members() {
		switch {
		case m.ended:
			found = found || all && t.endedOrphan(m)
		case all || m.session == leader:
			found = true
			if m.group != leader {
				_ = syscall.Kill(m.pid, s) // it may be gone by now: the next look tells
			}
		}
	}
	return found || all && t.reaps.Load() != reaps
}

// members gives all of the tree, what has ended and is not reaped included.
func (t *kin) members() []member {
	return members(os.Getpid(), t.before...)
}

// member is a process.
type member struct {
	pid, parent, group, session int
	ended                       bool
	started                     string // with the number it is a process for good: numbers come again
}

// members gives all that is below a process, apart from some and what is below
// these. It is empty where /proc is missing or shows another namespace, whose
// numbers are not those that we may kill.
func members(root int, but ...member) (below []member) {
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return nil
	}
	children := map[int][]member{}
	entries, _ := os.ReadDir("/proc") // what can be read counts
	for _, e := range entries {
		if m, ok := readMember(e.Name()); ok {
			children[m.parent] = append(children[m.parent], m)
		}
	}
	for next := []int{root}; len(next) > 0; next = next[1:] {
		for _, m := range children[next[0]] {
			if !slices.ContainsFunc(but, func(b member) bool { return b.pid == m.pid && b.started == m.started }) {
				below, next = append(below, m), append(next, m.pid)
			}
		}
	}
	return below
}

// readMember reads /proc/<name>/stat, see proc_pid_stat(5). The second field is
// the program's name in parentheses, which may contain anything.
func readMember(name string) (m member, ok bool) {
	pid, err := strconv.Atoi(name)
	if err != nil {
		return m, false
	}
	stat, err := os.ReadFile("/proc/" + name + "/stat")
	if err != nil {
		return m, false // gone this moment
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 20 {
		return m, false
	}
	m = member{pid: pid, ended: f[0] == "Z" || f[0] == "X", started: f[19]}
	for i, n := range []*int{&m.parent, &m.group, &m.session} {
		if *n, err = strconv.Atoi(f[i+1]); err != nil {
			return m, false
		}
	}
	return m, true
}
