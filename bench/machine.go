package main

import (
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// machine is where it was measured, and when. What the system does not tell is
// left out.
type machine struct {
	Date   string `json:"date"`
	Go     string `json:"go"`
	System string `json:"system"`
	Kernel string `json:"kernel,omitempty"`
	CPU    string `json:"cpu,omitempty"`
	CPUs   int    `json:"cpus"`
	Load   string `json:"load_before,omitempty"`
	Disk   string `json:"disk,omitempty"` // file systems
	Tmpfs  string `json:"tmpfs,omitempty"`
	Shell  string `json:"shell,omitempty"`
	Bash   string `json:"bash,omitempty"`
	JQ     string `json:"jq,omitempty"`
	Git    string `json:"git,omitempty"`
}

func thisMachine(w workplace) machine {
	m := machine{
		Date: time.Now().UTC().Format("2006-01-02 15:04 MST"),
		Go:   runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(),
		Kernel: kernel(), CPU: cpuModel(), Load: load(), Disk: fileSystem(w.disk),
		Shell: userShell(), Bash: version("/bin/bash"), JQ: version("jq"), Git: version("git"),
	}
	if w.tmpfs != "" {
		m.Tmpfs = fileSystem(w.tmpfs)
	}
	return m
}

// version is the first line that a program reports itself.
func version(program string) string {
	out, err := exec.Command(program, "--version").Output()
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}

// words are for people.
func (m machine) words() string {
	var parts []string
	add := func(before, what string) {
		if what != "" {
			parts = append(parts, before+what)
		}
	}
	add("", m.Go)
	add("", m.System)
	add("kernel ", m.Kernel)
	add("", m.CPU)
	add("disk: ", m.Disk)
	add("/dev/shm: ", m.Tmpfs)
	add("login shell ", m.Shell)
	add("", m.Bash)
	add("", m.JQ)
	add("", m.Git)
	add("load before ", m.Load)
	return strings.Join(parts, ", ")
}
