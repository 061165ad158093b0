// Command record runs `make demo` and prints an animated SVG of it: above the simulated chat, and below it the panel,
// `cursor-ralph watch` in a tmux, as it was at that moment: `make record`. The words are the run's own; the pace is slower, and
// lines with the names of scratch folders are left out. The picture begins at the refused promise, so that it already shows
// something where it does not move.
//
// It is a program of our own because the ones there are draw in fixed colours, or pictures of letters: this SVG follows the
// reader's light or dark theme, its text can be selected, and it stands still for those who want no motion.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, out, errs io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(errs, "record: usage: record PROGRAM")
		return 2
	}
	r, err := recordDemo(args[0])
	if err == nil {
		_, err = io.WriteString(out, draw(r))
	}
	if err != nil {
		fmt.Fprintf(errs, "record: %v\n", err)
		return 1
	}
	return 0
}
