//go:build unix

package gate

import "syscall"

// apart gives a command a session of its own, and with it a group.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
