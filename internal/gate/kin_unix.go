//go:build unix

package gate

import "syscall"

// apart gives a command a session of its own, and with it a group.
func apart(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if attr == nil {
		attr = &syscall.SysProcAttr{}
	}
	attr.Setsid = true
	return attr
}

// Interrupt does to the command what Ctrl-C does in a terminal. On Windows it
// does nothing.
func (t *Tree) Interrupt() {
	if !t.over() {
		_ = syscall.Kill(-t.cmd.Process.Pid, syscall.SIGINT) // an error: it is gone
	}
}
