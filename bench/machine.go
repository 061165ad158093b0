package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// machine describes where it was measured, and when, as the configuration lines of
// Go's benchmarks. What the system does not tell is left out.
func machine(w workplace) string {
	var b strings.Builder
	for _, line := range [][2]string{
		{"date", time.Now().UTC().Format("2006-01-02 15:04 MST")},
		{"go", runtime.Version()}, {"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"cpu", cpuModel()}, {"cpus", fmt.Sprint(runtime.NumCPU())},
		{"load", firstLine("cat", "/proc/loadavg")}, {"kernel", firstLine("uname", "-r")},
		{"disk", firstLine("stat", "-f", "-c", "%T", w.disk)}, {"shell", userShell()},
		{"bash", firstLine("/bin/bash", "--version")}, {"jq", firstLine("jq", "--version")}, {"git", firstLine("git", "--version")},
	} {
		if line[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", line[0], line[1])
		}
	}
	return b.String()
}

// firstLine is the first line that a program prints, empty if it fails.
func firstLine(program string, args ...string) string {
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}

func cpuModel() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // Linux alone has it
	if found := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(info); found != nil {
		return string(found[1])
	}
	return ""
}
