//go:build unix

package proc

import (
	"os"
	"syscall"
)

// detached puts a program into a session of its own: a group that can be killed,
// and no terminal to ask anything on.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Hidden keeps a program on Windows from opening a console window.
func Hidden() *syscall.SysProcAttr { return nil }

// group is known by the number of its first process.
type group struct{}

func (c Command) launch(attr *os.ProcAttr) (*os.Process, group, error) {
	attr.Sys = detached()
	p, err := start(c.Path, c.Args, attr)
	return p, group{}, err
}

func (group) kill(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != syscall.ESRCH {
		return err
	}
	return nil
}

func (group) close() {}

// Gone reports whether no process with this number runs. On Linux a zombie
// does not run.
func Gone(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil {
		return err == syscall.ESRCH
	}
	return isZombie(pid)
}
