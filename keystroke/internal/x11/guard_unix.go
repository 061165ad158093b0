//go:build unix

package x11

import "syscall"

// ownSession keeps what ends our group or our terminal from a child.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
