//go:build unix

package testdesk

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	diesWithUs(cmd.SysProcAttr)
}

func killGroup(p *os.Process) error {
	return gone(syscall.Kill(-p.Pid, syscall.SIGKILL))
}

// pause stops a process; resume lets it continue.
func pause(p *os.Process) error  { return gone(p.Signal(syscall.SIGSTOP)) }
func resume(p *os.Process) error { return gone(p.Signal(syscall.SIGCONT)) }

// gone returns nil for a process that has already ended.
func gone(err error) error {
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
