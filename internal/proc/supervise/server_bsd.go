//go:build unix && !linux

package supervise

import "syscall"

// untilDeath has no effect here: see client.wait for what we do instead.
func untilDeath() *syscall.SysProcAttr { return nil }

// rename does nothing: here a process has the name of its program's file.
func rename(string) {}
