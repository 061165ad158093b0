//go:build unix

package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

const usualWidth = 80

// terminalWidth is how many characters fit into a line.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return usualWidth
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 {
		return usualWidth
	}
	return int(size.Col)
}
