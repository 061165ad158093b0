package proc

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// keepDescriptors makes a child not inherit the descriptors that the editor passed
// besides the standard streams: the editor waits for a pipe while a child holds it
// open. Kernels before 5.11 and some containers do not support it, which is harmless
// otherwise.
func keepDescriptors() error {
	err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC)
	if err == unix.ENOSYS || err == unix.EINVAL || err == unix.EPERM {
		return nil
	}
	return err
}

// Stat is the state of a process on Linux.
type Stat struct {
	PID, Parent, Group, Session int

	Ended   bool   // it is a zombie
	Started string // distinguishes processes that had the same number at different times
}

// ReadStat reads /proc/<pid>/stat: see proc_pid_stat(5). The second field is the
// program's name in parentheses, which may contain anything.
func ReadStat(pid int) (s Stat, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return s, false
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 20 {
		return s, false
	}
	s = Stat{PID: pid, Ended: f[0] == "Z" || f[0] == "X", Started: f[19]}
	for i, n := range []*int{&s.Parent, &s.Group, &s.Session} {
		if *n, err = strconv.Atoi(f[i+1]); err != nil {
			return s, false
		}
	}
	return s, true
}

func isZombie(pid int) bool {
	s, ok := ReadStat(pid)
	return ok && s.Ended
}
