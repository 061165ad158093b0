//go:build unix && !linux

package supervise

import "syscall"

// untilDeath asks for nothing: see client.wait for what happens instead.
func untilDeath() *syscall.SysProcAttr { return nil }

// rename does nothing: here a process has the name of its program's file.
func rename(string) {}
