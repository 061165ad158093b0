package main

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

const usualWidth = 80

// terminalWidth is how many characters fit into a line.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return usualWidth
	}
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &info) != nil || info.Size.X <= 0 {
		return usualWidth
	}
	return int(info.Size.X)
}
