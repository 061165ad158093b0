// Package procs finds the processes of a test by their environment, and their parents.
package procs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// With returns the processes, and their command lines, that have a variable ("NAME=value") in their
// environment. It finds none where there is no /proc.
func With(variable string) map[int]string {
	list := map[int]string{}
	all, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, path := range all {
		env, _ := os.ReadFile(path) // of one that is over, or not ours, it cannot be read
		if slices.Contains(strings.Split(string(env), "\x00"), variable) {
			args, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline")) // as above
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))            // it is a number
			list[pid] = strings.ReplaceAll(string(args), "\x00", " ")
		}
	}
	return list
}

// Parent returns the process that started another.
func Parent(pid int) (int, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil { // other systems have ps
		out, err := exec.Command("ps", "-o", "ppid=", "-p", strconv.Itoa(pid)).Output() // #nosec G204 -- a number
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(strings.TrimSpace(string(out)))
	}
	// The second field is the program's name in parentheses, which may have spaces.
	return strconv.Atoi(strings.Fields(string(stat[strings.LastIndex(string(stat), ")")+1:]))[1])
}
