//go:build unix && !linux

package testdesk

import "syscall"

// diesWithUs does nothing: only Linux has that.
func diesWithUs(*syscall.SysProcAttr) {}
