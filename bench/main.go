// Command bench measures how long the hook takes, as whole processes: from
// starting it to its end.
//
//	make bench                  200 runs of each case
//	make bench BENCH="-n 1000"  more runs, steadier figures
//	go run ./bench -self        the floor against itself: how much of a ratio is noise
//
// How to read it. A time by itself says more about the machine than about the
// hook. So every case is told as a ratio to the floor (bench/floor): a static
// Go program, built with the same flags, that reads the same event from
// standard input, parses it and prints {}. Each round runs every case once, in
// random order, and beside each case, before or after it by chance, the floor;
// so whatever else the machine is doing meets both alike. The ratio is that of
// the two medians. Only ratios of one run can be compared, not times of two
// runs.
//
// "others" is the number of other loops, and again of other named pending
// files, that lie in the same folders; "vs alone" is the ratio to the same case
// without them. A stop that continues a loop saves its state; the case is there
// on a disk and on a tmpfs, and the difference of the two is what the fsync
// costs on that disk.
//
// The exit code tells whether it could be measured, never whether the targets
// were met: it is 1 when a program fails or gives an answer that does not fit
// the case, since then something else was measured than the table says.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the command line.
type settings struct {
	n, warmup, crowd int
	json, self       bool
	hook             string
}

func run(args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.n, "n", 200, "measured runs of each case")
	flags.IntVar(&s.warmup, "warmup", 20, "runs before them that are not counted")
	flags.IntVar(&s.crowd, "crowd", 10000, "other loops, and other pending files, in the crowded cases")
	flags.BoolVar(&s.json, "json", false, "print JSON instead of a table")
	flags.BoolVar(&s.self, "self", false, "measure the floor against itself")
	flags.StringVar(&s.hook, "hook", "", "measure this `binary` instead of building the hook")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if s.n < 1 || s.warmup < 1 || s.crowd < 1 || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "bench: -n, -warmup and -crowd are at least 1, and there are no arguments")
		return 2
	}
	// Interrupted, it still removes what it laid out.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	result, err := measure(ctx, s, stderr)
	if err == nil {
		err = result.write(stdout, s.json)
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

// measure builds the programs, lays out the scenes and runs it all.
func measure(ctx context.Context, s settings, log io.Writer) (r result, err error) {
	work, err := newWorkplace()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, work.remove()) }()

	programs, err := build(s, work.disk)
	if err != nil {
		return r, err
	}
	cases, err := layOut(work, s.crowd)
	if err != nil {
		return r, err
	}
	b := &bench{settings: s, programs: programs, cases: cases, scratch: work.scratch()}
	fmt.Fprintf(log, "bench: %d cases, %d + %d rounds\n", len(cases), s.warmup, s.n)
	if err := b.rounds(ctx); err != nil {
		return r, err
	}
	return b.result()
}
