package main

import (
	"fmt"
	"os"
	"path/filepath"
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
