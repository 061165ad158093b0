//go:build unix && !linux

package gate

import (
	"os/exec"
	"syscall"
)

// kin is what a command has started: here its group, because nothing tells
// what has left that.
type kin struct{ cmd *exec.Cmd }

func startKin(cmd *exec.Cmd) (*kin, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &kin{cmd}, nil
}

// signal tells whether there was anything to send a signal to. The signal 0 is
// none.
func (t *kin) signal(_ bool, s syscall.Signal) (found bool) {
	return syscall.Kill(-t.cmd.Process.Pid, s) != syscall.ESRCH
}

func (t *kin) close() {}
