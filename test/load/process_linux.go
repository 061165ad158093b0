package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// leftRunning lists the processes whose program lies in a folder: what our own
// programs have left behind.
func leftRunning(folder string) (problems []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe") // the pattern is a good one
	for _, link := range links {
		if program, err := os.Readlink(link); err == nil && strings.HasPrefix(program, folder+"/") {
			problems = append(problems, fmt.Sprintf("left running: %s, process %s", filepath.Base(program), strings.Split(link, "/")[2]))
		}
	}
	return problems
}

// usageOf is what a process needs now.
func usageOf(pid int) (u usage, err error) {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return u, err
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return u, err
	}
	u.descriptors = len(open)
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	u.resident, err = strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return u, err
}
