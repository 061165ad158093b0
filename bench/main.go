// Command bench measures how long the hook takes, as whole processes: from
// starting it to its end, alone, among many loops, and beside hooks in bash.
//
//	make bench                          everything, 200 runs of each case
//	make bench BENCH="-n 1000"          more runs, steadier figures
//	make bench BENCH="-only speed"      one part: speed, growth, claims, shells, turns or panel
//	make benchmarks                     writes docs/measured/benchmarks.md
//	go run ./bench -self -only speed    the floor against itself: how much of a ratio is noise
//
// introduction.md says how to read it. Times of two runs cannot be compared, only the
// ratios to the floor (bench/floor), which runs beside each case in every round. -raw
// prints every run, which benchstat compares between two versions of the hook.
//
// What many files of others cost is measured on the tmpfs, and up to 10 000 of a kind on
// the disk, as removing more of them takes minutes on some disks. -crowd sets the most;
// 100 000 need 1.2 GB of memory.
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
	n, warmup, crowd    int
	tools               int
	raw, markdown, self bool
	hook, only          string
}

func run(args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.n, "n", 200, "measured runs of each case")
	flags.IntVar(&s.warmup, "warmup", 20, "runs before them that are not counted")
	flags.IntVar(&s.crowd, "crowd", 100_000, "most other loops, other pending files and other records")
	flags.IntVar(&s.tools, "tools", 40, "tool calls of a whole turn")
	flags.BoolVar(&s.raw, "raw", false, "print every run, for benchstat, instead of tables")
	flags.BoolVar(&s.markdown, "markdown", false, "print docs/measured/benchmarks.md")
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
	r, machine, err := measure(ctx, s, stderr)
	if err == nil {
		err = r.write(ctx, stdout, s, machine)
	}
	if err == nil && len(r.missing) > 0 && os.Getenv("CI") == "true" {
		err = errors.New("in CI nothing may be missing: " + strings.Join(r.missing, "; "))
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
	measure func(*bench, context.Context, *record) error
}

func parts() []part {
	return []part{
		{"speed", (*bench).speed}, {"growth", (*bench).growth}, {"claims", (*bench).claims},
		{"shells", (*bench).shells}, {"turns", (*bench).turns}, {"panel", (*bench).panel},
	}
}

func names() (list []string) {
	for _, p := range parts() {
		list = append(list, p.name)
	}
	return list
}

// measure builds the programs, and measures one part after the other.
func measure(ctx context.Context, s settings, log io.Writer) (r *record, where string, err error) {
	work, err := newWorkplace()
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, work.remove()) }()
	where = machine(work)
	b := &bench{settings: s, work: work}
	if b.programs, err = build(ctx, s, work.disk); err != nil {
		return nil, "", err
	}
	r = &record{}
	return r, where, b.parts(ctx, r, log)
}

// parts measures those that were asked for.
func (b *bench) parts(ctx context.Context, r *record, log io.Writer) error {
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
