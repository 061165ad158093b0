//go:build robotgo

// Cursor-ralph-robotgo presses the key of its arguments by robotgo, and ends.
// It is a separate program because robotgo is written in C: a crash or hang in there
// affects nothing else.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

const usage = `usage: cursor-ralph-robotgo version
       cursor-ralph-robotgo press shift+insert|cmd+v|return|ctrl+return|cmd+return

Writes a line when all is ready, and presses the key when it has read a line.
The window that has the focus gets it.
Example: echo go | cursor-ralph-robotgo press shift+insert
`

// The exit codes beside 0, and 1 for an error while pressing. With these
// nothing was pressed.
const (
	exitUsage = 2
	exitUnfit = 3
)

// chords are the keys that are pressed, in robotgo's words: for another name it
// would press key 0, and as a modifier it does not know "control".
var chords = map[string][]string{
	"shift+insert": {"insert", "shift"},
	"cmd+v":        {"v", "cmd"},
	"return":       {"enter"},
	"ctrl+return":  {"enter", "ctrl"},
	"cmd+return":   {"enter", "cmd"},
}

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fail := func(code int, words string) int {
		fmt.Fprintln(stderr, "cursor-ralph-robotgo:", words)
		return code
	}
	version := len(args) == 1 && args[0] == "version"
	press := len(args) == 2 && args[0] == "press" && chords[args[1]] != nil
	switch {
	case !version && !press:
		fmt.Fprint(stderr, usage)
		return fail(exitUsage, "what to press?")
	case version:
		fmt.Fprintln(stdout, versions())
		return 0
	}
	if err := ready(); err != nil {
		return fail(exitUnfit, err.Error())
	}
	fmt.Fprintln(stdout, "ready")
	if _, err := bufio.NewReader(stdin).ReadString('\n'); err != nil {
		return fail(exitUnfit, "nobody said go")
	}
	if err := tap(args[1], chords[args[1]]); err != nil {
		return fail(1, err.Error())
	}
	return 0
}

// release is the version, set by the build.
var release string

func versions() string {
	v := "cursor-ralph-robotgo"
	if release != "" {
		v += " " + release
	}
	return v + " with robotgo " + robotgoVersion()
}
