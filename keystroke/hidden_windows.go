package keystroke

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// hide keeps Windows from opening a console window for a program of ours that
// has no console: it would take the focus.
func hide(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
}
