//go:build !unix

package simcursor

import (
	"os"
	"os/exec"
)

func shellArgs(_, command string) []string {
	return []string{"powershell", "-NoProfile", "-Command", command}
}

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }
