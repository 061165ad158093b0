//go:build unix

package platform

import (
	"os"
	"syscall"
)

// kill ends a program that Run started, with all that it started itself.
func kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// Gone tells whether no process with this number runs any more.
func Gone(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == syscall.ESRCH
}
