//go:build unix

package supervise

import "syscall"

// apart puts a command into its own session and process group.
func apart(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if attr == nil {
		attr = &syscall.SysProcAttr{}
	}
	attr.Setsid = true
	return attr
}

// Interrupt does what Ctrl-C does in a terminal. On Windows it does nothing.
func (t *Tree) Interrupt() {
	if !t.isOver() {
		_ = syscall.Kill(-t.cmd.Process.Pid, syscall.SIGINT) // an error: it is gone
	}
}
