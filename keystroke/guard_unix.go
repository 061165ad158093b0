//go:build unix

package keystroke

import "syscall"

// ownSession keeps what ends our group or our terminal from a child.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
