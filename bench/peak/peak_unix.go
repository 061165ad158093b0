//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakKiB knows that macOS counts in bytes, all others in KiB.
func peakKiB(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) / 1024
	}
	return int64(usage.Maxrss)
}
