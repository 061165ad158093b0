//go:build unix

package simcursor

import (
	"os"
	"os/exec"
	"syscall"
)

func shellArgs(shell, command string) []string { return []string{shell, "-lc", command} }

func agentShellArgs(command string) []string { return []string{"sh", "-c", command} }

func userEnv(home, shell string) []string { return []string{"HOME=" + home, "SHELL=" + shell} }

func plainShellArgs(command string) []string { return []string{"/bin/sh", "-c", command} }

// directArgs makes the shell exec the program, so that no shell exits later.
func directArgs(command string) []string { return plainShellArgs("exec " + command) }

func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }
