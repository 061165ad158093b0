//go:build unix && !linux

package gate

import (
	"os/exec"
	"syscall"
)

// tree is what a command has started: here its group, because nothing tells
// what has left that.
type tree struct{ cmd *exec.Cmd }

func start(cmd *exec.Cmd) (*tree, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &tree{cmd}, nil
}

// signal tells whether there was anything to send a signal to. The signal 0 is
// none.
func (t *tree) signal(_ bool, s syscall.Signal) (found bool) {
	return syscall.Kill(-t.cmd.Process.Pid, s) != syscall.ESRCH
}

func (t *tree) close() {}
