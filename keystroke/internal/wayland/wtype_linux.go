package wayland

import (
	"os/exec"
	"syscall"
)

// diesWithUs has the kernel kill a program when this process ends.
func diesWithUs(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
