//go:build linux

package faults_test

import (
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// outcome is how a process ended.
type outcome struct {
	status         syscall.WaitStatus
	hung           bool
	stdout, stderr string
}

func (o outcome) killed() bool {
	return o.status.Signaled() || o.status.ExitStatus() == 128+int(syscall.SIGKILL)
}

// patience is far beyond the five seconds that a hook may take, and the ten that a command waits for a lock.
const patience = 20 * time.Second

// strace runs a command under strace, and returns its system calls too.
func (w world) strace(c command, options ...string) (o outcome, calls string, err error) {
	out, err := os.CreateTemp("", "strace-")
	if err != nil {
		return o, "", err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	c.args = append(append([]string{"strace", "-f", "--quiet=all", "-y", "-o", out.Name()}, options...), c.args...)
	if o, err = c.run(); err != nil {
		return o, "", err
	}
	data, err := os.ReadFile(out.Name())
	return o, string(data), err
}

func isInjected(calls string) bool { return strings.Contains(calls, "(INJECTED)") }

// call is a system call about one of our files. Its path is below the folder of the world.
type call struct {
	name, path string
	n          int  // of the calls with this name and path, from 1
	creates    bool // a file
	unlocks    bool
}

// callsOf reads what strace printed.
func callsOf(out, root string) (list []call) {
	line := regexp.MustCompile(`(?m)^\d+ +(\w+)\((.*)$`)
	named := regexp.MustCompile(`^(?:AT_FDCWD<[^>]*>|\d+<[^>]*>), "([^"]*)"`)
	opened := regexp.MustCompile(`^\d+<([^>]*)>`)
	times := map[[2]string]int{}
	for _, m := range line.FindAllStringSubmatch(out, -1) {
		by := opened
		if kinds()[m[1]].named {
			by = named
		}
		path := by.FindStringSubmatch(m[2])
		if path == nil {
			continue
		}
		below, ours := strings.CutPrefix(path[1], root+"/")
		if !ours {
			continue
		}
		key := [2]string{m[1], below}
		times[key]++
		list = append(list, call{m[1], "/" + below, times[key], m[1] == "openat" && strings.Contains(m[2], "O_CREAT"), strings.Contains(m[2], "LOCK_UN")})
	}
	return list
}
