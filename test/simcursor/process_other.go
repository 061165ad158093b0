//go:build !unix

package simcursor

import (
	"os"
	"os/exec"
)

func shellArgs(_, command string) []string {
	return []string{"powershell", "-NoProfile", "-Command", command}
}

func agentShellArgs(command string) []string { return shellArgs("", command) }

func userEnv(home, _ string) []string { return []string{"USERPROFILE=" + home} }

func plainShellArgs(command string) []string { return []string{"cmd", "/c", command} }

func directArgs(command string) []string { return plainShellArgs(command) }

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }
