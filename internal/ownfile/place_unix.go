//go:build unix

package ownfile

import (
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"syscall"
)

func openPlace(dir string) (*os.File, error) {
	return os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
}

func number(info fs.FileInfo) string {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(stat.Ino, 10)
	}
	return ""
}

// Inside is a name by which a program that we start gets into an open folder, whatever its own name leads to by then. Only Linux has
// one; elsewhere it is the folder's own.
func Inside(f *os.File) string {
	if name := fmt.Sprintf("/proc/self/fd/%d", f.Fd()); runtime.GOOS == "linux" {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return f.Name()
}
