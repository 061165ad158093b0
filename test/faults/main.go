// Command faults kills and injures cursor-ralph wherever that is possible, and
// checks that nothing is lost.
//
//	make faults                       everything; it takes its time
//	make faults FAULTS="-only claim"  the operations with this word in their name
//	go run ./test/faults -short      the most telling part, which is a test too
//	go run ./test/faults -markdown   print Markdown
//
// An operation is one process: a hook that gets an event, or a command. It is
// run once unharmed, and then again and again in a copy of the same files, each
// time with another injury:
//
//   - killed before and after each of its system calls, all of them;
//   - an error from a system call that is about one of our files, each error that
//     the call's manual page has, at each such call;
//   - the same error from there on, at every call that can give it, as on a disk
//     that stays full;
//   - a write of which only the first half is done before the disk is full;
//   - for real: few descriptors, and for root a disk that was mounted read-only
//     and one with few pages left.
//
// After it the loop must be once in the pending folder, among the live ones or in
// the archive; no file may be torn, no lock held, and the counters are those of
// some moment of the unharmed run. A hook has given one JSON object and exit 0,
// a command has succeeded, or failed with one clear error; a call that was
// interrupted (EINTR) is made again and nobody sees it. Then the same is done
// once more and a stop event comes, unharmed: the loop goes on from there, list
// and status show it, and what was left unfinished is swept. From files that are
// in a state that was met before, times apart, that is not tried again.
//
// The exit code is 1 where any of this does not hold.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the command line, and what can be done here.
type settings struct {
	short, markdown bool
	only            string
	mounts          bool // root alone may mount a disk
}

func run(args []string, stdout, stderr io.Writer) int {
	s := settings{mounts: os.Geteuid() == 0}
	flags := flag.NewFlagSet("faults", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&s.short, "short", false, "kill before changes of files alone, and give errors to the first call of a kind")
	flags.BoolVar(&s.markdown, "markdown", false, "print Markdown instead of a table")
	flags.StringVar(&s.only, "only", "", "only operations with this `word` in their name")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	r, err := survey(s, stderr)
	if err == nil {
		err = r.write(stdout, s.markdown)
	}
	if err != nil {
		fmt.Fprintln(stderr, "faults:", err)
		return 1
	}
	if r.violations() > 0 {
		return 1
	}
	return 0
}
