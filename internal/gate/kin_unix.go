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
