//go:build !unix

package x11

import "syscall"

// ownSession does nothing where there is no X11.
func ownSession() *syscall.SysProcAttr { return nil }
