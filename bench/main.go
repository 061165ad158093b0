// Command bench measures how long the hook takes, as whole processes: from
// starting it to its end, alone, among many loops, and beside hooks in bash.
//
//	make bench                          everything, 200 runs of each case
//	make bench BENCH="-n 1000"          more runs, steadier figures
//	make bench BENCH="-only speed"      one part: speed, growth, claims, shells or turns
//	make benchmarks                     writes docs/benchmarks.md
//	go run ./bench -self -only speed    the floor against itself: how much of a ratio is noise
//
// How to read it. A time by itself says more about the machine than about the
// hook. So every case is shown as a ratio to the floor (bench/floor): a static
// Go program, built with the same flags, that reads the same event from
// standard input, parses it and prints {}. Each round runs every case once, in
// random order, and beside each case, before or after it by chance, the floor;
// so whatever else the machine is doing meets both alike. The ratio is that of
// the two medians. Only ratios of one run can be compared, not times of two
// runs.
//
// A stop that continues a loop saves its state; the case is there on a disk and
// on a tmpfs, and the difference of the two is what the fsync costs on that
// disk. What many files of others cost is measured on the tmpfs, and up to
// 10 000 of a kind on the disk, as removing more of them takes some disks
// minutes. -crowd tells the most. 100 000 need 1.2 GB of memory.
//
// The exit code reports whether it could be measured, never whether the targets
// were met: it is 1 when a program fails or has an answer that does not fit
// the case, since then something else was measured than the table says. Where a
// tool is missing a part is left out, which the output says; with CI=true that
// is a failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the command line.
type settings struct {
	n, warmup, crowd     int
	tools                int
	json, markdown, self bool
	hook, only           string
}

func run(args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.n, "n", 200, "measured runs of each case")
	flags.IntVar(&s.warmup, "warmup", 20, "runs before them that are not counted")
	flags.IntVar(&s.crowd, "crowd", 100_000, "most other loops, other pending files and other records")
	flags.IntVar(&s.tools, "tools", 40, "tool calls of a whole turn")
	flags.BoolVar(&s.json, "json", false, "print JSON instead of tables")
	flags.BoolVar(&s.markdown, "markdown", false, "print docs/benchmarks.md")
	flags.BoolVar(&s.self, "self", false, "measure the floor against itself")
	flags.StringVar(&s.hook, "hook", "", "measure this `binary` instead of building the hook")
	flags.StringVar(&s.only, "only", "", "measure only these `parts`: "+strings.Join(names(), ","))
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := s.check(flags.NArg()); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 2
	}
	// Interrupted, it still removes what it laid out.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	result, err := measure(ctx, s, stderr)
	if err == nil {
		err = result.write(stdout, s)
	}
	if err == nil && len(result.Missing) > 0 && os.Getenv("CI") == "true" {
		err = errors.New("in CI nothing may be missing: " + strings.Join(result.Missing, "; "))
	}
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

func (s settings) check(arguments int) error {
	if s.n < 1 || s.warmup < 1 || s.crowd < 1 || s.tools < 1 || arguments > 0 {
		return errors.New("-n, -warmup, -crowd and -tools are at least 1, and there are no arguments")
	}
	for part := range strings.SplitSeq(s.only, ",") {
		if s.only != "" && !slices.Contains(names(), part) {
			return fmt.Errorf("no part %q; there are %s", part, strings.Join(names(), ", "))
		}
	}
	return nil
}

// part is one that can be measured by itself.
type part struct {
	name    string
	measure func(*bench, context.Context, *result) error
}

func parts() []part {
	return []part{
		{"speed", (*bench).speed}, {"growth", (*bench).growth}, {"claims", (*bench).claims},
		{"shells", (*bench).shells}, {"turns", (*bench).turns},
	}
}

func names() (list []string) {
	for _, p := range parts() {
		list = append(list, p.name)
	}
	return list
}

// measure builds the programs, and measures one part after the other.
func measure(ctx context.Context, s settings, log io.Writer) (r result, err error) {
	began := time.Now()
	work, err := newWorkplace()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, work.remove()) }()
	r.Machine, r.Runs = thisMachine(work), s.n
	b := &bench{settings: s, work: work}
	if b.programs, err = build(ctx, s, work.disk); err != nil {
		return r, err
	}
	err = b.parts(ctx, &r, log)
	r.Took = time.Since(began).Seconds()
	return r, err
}

// parts measures those that were asked for.
func (b *bench) parts(ctx context.Context, r *result, log io.Writer) error {
	for _, p := range parts() {
		if b.settings.only != "" && !slices.Contains(strings.Split(b.settings.only, ","), p.name) {
			continue
		}
		start := time.Now()
		if err := p.measure(b, ctx, r); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Fprintf(log, "bench: %s took %.0f s\n", p.name, time.Since(start).Seconds())
	}
	return nil
}
