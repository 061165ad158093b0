//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// detached puts a program into its own session: a group that we can kill, without a
// terminal for questions.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Hidden keeps a program on Windows from opening a console window.
func Hidden() *syscall.SysProcAttr { return nil }

// group needs only its id, which is that of its first process; 0 for a program that may leave others running.
type group struct{ id int }

func (c Command) start(cmd *exec.Cmd) (group, error) {
	cmd.SysProcAttr = detached()
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }
	if err := start(cmd); err != nil || !c.Contained {
		return group{}, err
	}
	return group{cmd.Process.Pid}, nil
}

func killGroup(id int) error {
	if err := syscall.Kill(-id, syscall.SIGKILL); err != syscall.ESRCH {
		return err
	}
	return os.ErrProcessDone
}

func (g group) close() {
	if g.id != 0 {
		_ = killGroup(g.id) // an error: nothing is left of it
	}
}

// Gone reports whether no process with this id runs. On Linux a zombie does not run.
func Gone(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil {
		return err == syscall.ESRCH
	}
	return isZombie(pid)
}
