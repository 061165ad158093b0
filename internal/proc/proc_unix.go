//go:build unix

package proc

import (
	"os"
	"syscall"
)

// detached puts a program into its own session: a group that we can kill, without a
// terminal for questions.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Hidden keeps a program on Windows from opening a console window.
func Hidden() *syscall.SysProcAttr { return nil }

// group needs no data: its id is that of its first process.
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

// Gone reports whether no process with this id runs. On Linux a zombie does not run.
func Gone(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil {
		return err == syscall.ESRCH
	}
	return isZombie(pid)
}
