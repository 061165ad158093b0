//go:build unix && !linux

package tend

import "syscall"

// untilDeath has nothing to say here: see keeper.wait.
func untilDeath() *syscall.SysProcAttr { return nil }
