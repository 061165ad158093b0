//go:build !unix

package x11

import "syscall"

// ownSession has nothing to do where there is no X11.
func ownSession() *syscall.SysProcAttr { return nil }
