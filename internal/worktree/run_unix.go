//go:build unix

package worktree

import (
	"os"
	"syscall"
)

const (
	program    = "git"
	executable = false // a file says itself whether it may be run
	// careful neither follows a link nor waits for a pipe's other end.
	careful = syscall.O_NOFOLLOW | syscall.O_NONBLOCK
)

// apart puts a child into a session of its own: a group that can be killed, and
// no terminal to ask anything on.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// group is known by its first process.
type group struct{}

func newGroup(*os.Process) group { return group{} }

func (group) kill(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != syscall.ESRCH {
		return err
	}
	return nil
}

func (group) close() {}

func isNamed(name, want string) bool { return name == want }
