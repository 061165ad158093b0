//go:build unix

package supervise

import (
	"os/exec"
	"syscall"
)

// apart puts a command into its own session and process group.
func apart(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if attr == nil {
		attr = &syscall.SysProcAttr{}
	}
	attr.Setsid = true
	return attr
}

// group is a command's process group, and the orphans that we adopt meanwhile.
type group struct {
	pid     int
	orphans *orphans
}

func startGroup(cmd *exec.Cmd) (group, error) {
	o := adopt()
	if err := cmd.Start(); err != nil {
		o.close()
		return group{}, err
	}
	o.begin(cmd.Process.Pid)
	return group{cmd.Process.Pid, o}, nil
}

func (g group) ask() { _ = g.signal(syscall.SIGTERM) }

// lives reports whether the group has a process. An orphan that has ended does not count.
func (g group) lives() bool {
	g.orphans.reap()
	return g.signal(0)
}

func (g group) kill(over bool) (found bool) {
	if over {
		g.orphans.reap()
	}
	return g.signal(syscall.SIGKILL)
}

func (g group) killAll(over bool) (found bool) {
	found = g.kill(over)
	return g.orphans.kill() || found
}

// signal reports whether it reached any process.
func (g group) signal(s syscall.Signal) bool { return syscall.Kill(-g.pid, s) != syscall.ESRCH }

func (g group) close() { g.orphans.close() }
