package main

import (
	"os"
	"syscall"
	"time"
)

// unused is how long ago a file was last read, written or otherwise changed: by
// these three times systemd-tmpfiles goes.
func unused(path string) time.Duration {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	newest := info.ModTime()
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		for _, t := range []syscall.Timespec{stat.Atim, stat.Ctim} {
			if at := time.Unix(t.Unix()); at.After(newest) {
				newest = at
			}
		}
	}
	return time.Since(newest)
}
