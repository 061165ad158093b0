// Command peak runs a program with its own standard input and prints the most
// memory, in KiB, that it had resident; 0 where the system does not tell. It is
// a program of its own because a child begins with the figure of the process
// that started it, so that one must be small.
package main

import (
	"os"
	"strconv"
)

func main() {
	if len(os.Args) < 2 {
		os.Exit(2)
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		os.Exit(1)
	}
	process, err := os.StartProcess(os.Args[1], os.Args[1:], &os.ProcAttr{Files: []*os.File{os.Stdin, null, os.Stderr}}) // #nosec G702 -- to run what it is given is all it does
	if err != nil {
		os.Exit(1)
	}
	state, err := process.Wait()
	if err != nil || !state.Success() {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString(strconv.FormatInt(peakKiB(state), 10) + "\n") // nobody to tell
}
