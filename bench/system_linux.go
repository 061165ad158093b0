package main

import (
	"os"
	"strings"
	"syscall"
)

const tmpfsMagic = 0x01021994

// diskFolder is the first usual place that is not a tmpfs: /tmp often is one,
// and then fsync costs nothing there.
func diskFolder() string {
	for _, folder := range []string{os.TempDir(), "/var/tmp"} {
		if !isTmpfs(folder) {
			return folder
		}
	}
	return "."
}

func tmpfsFolder() string {
	if isTmpfs("/dev/shm") {
		return "/dev/shm"
	}
	return ""
}

func isTmpfs(folder string) bool {
	var s syscall.Statfs_t
	return syscall.Statfs(folder, &s) == nil && s.Type == tmpfsMagic
}

// flush leaves the disk nothing to write for what was laid out, which the first
// fsync would pay for.
func flush() error {
	syscall.Sync()
	return nil
}

// fileSystem is the type of that which a folder is on.
func fileSystem(folder string) string {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return ""
	}
	found, at := "", ""
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) > 2 && len(fields[1]) >= len(at) && below(folder, fields[1]) {
			at, found = fields[1], fields[2]
		}
	}
	return found
}

func below(folder, mount string) bool {
	return mount == "/" || folder == mount || strings.HasPrefix(folder, mount+"/")
}

// cpuModel and kernel are empty where they are not told.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(info), "model name")
	model, _, _ := strings.Cut(strings.TrimLeft(after, "\t :"), "\n")
	return model
}

func kernel() string {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(release))
}

func load() string {
	average, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(average), " ")
	return first
}
