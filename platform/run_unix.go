//go:build unix

package platform

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// kill ends a program that Run started, with all that it started itself.
func kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// Gone tells whether no process with this number runs any more. On Linux one
// that has ended is gone though its parent has not asked for its end yet.
func Gone(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil {
		return err == syscall.ESRCH
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false // not Linux, or gone this moment: the next look tells
	}
	_, state, _ := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" "))
	return bytes.HasPrefix(state, []byte("Z")) || bytes.HasPrefix(state, []byte("X"))
}
