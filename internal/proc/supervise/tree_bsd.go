//go:build unix && !linux

package supervise

import (
	"os/exec"
	"syscall"
)

// descendants is the command's process group: the system does not show which processes
// have left it.
type descendants struct{ cmd *exec.Cmd }

func startWithDescendants(cmd *exec.Cmd) (*descendants, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &descendants{cmd}, nil
}

// signal sends a signal, unless it is 0, and reports whether it found any process.
func (d *descendants) signal(_ bool, s syscall.Signal) (found bool) {
	return syscall.Kill(-d.cmd.Process.Pid, s) != syscall.ESRCH
}

func (d *descendants) close() {}
