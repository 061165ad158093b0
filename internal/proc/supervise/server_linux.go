package supervise

import (
	"os"
	"syscall"
)

// untilDeath has the kernel kill the program when the supervisor is killed.
func untilDeath() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// rename changes the name by which killall and pkill find this process. It has no
// effect without /proc.
func rename(name string) { _ = os.WriteFile("/proc/self/comm", []byte(name), 0) }
