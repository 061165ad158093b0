//go:build unix

package simcursor

import (
	"os"
	"os/exec"
	"syscall"
)

func shellArgs(shell, command string) []string { return []string{shell, "-lc", command} }

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
