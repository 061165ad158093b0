// Command load puts more on the hook and on cursor-ralph than any user does, and
// looks whether anything was lost: the real programs, run as processes as the
// editor runs them.
//
//	make load    many conversations, each with a loop, all at once
//	make soak    events, loops and commands without end; /tmp cleaned while it goes on
//	go run ./test/load many -chats 64 -iterations 100 -twice
//	go run ./test/load soak -events 100000
//	go run ./test/load clean -rounds 1000
//
// The driver keeps a model of each loop: what it told the programs, and what they
// answered. At the end what they say of the loop (status, history) must be what
// the model says, no lock may be held, no process left, and no file that has no
// business to be there.
//
// What is done is drawn from a seed, which is printed; when it happens the
// machine decides, so that the same seed plays the same scenes but not the same
// race.
//
// The exit code is 1 when something was lost, doubled or left, or grew that
// must not grow.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// drawn returns what the n-th of those who draw from a seed gets.
func drawn(seed uint64, n int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(n))) // #nosec G404 -- the same ones again is what a seed is for
}

// settings are the command line.
type settings struct {
	chats, iterations, calls int
	events, workers          int
	rounds, atOnce           int
	twice, editor, markdown  bool
	seed                     uint64
	dir, programs            string
	atMost                   time.Duration
}

// part is one of the things that can be run.
type part struct {
	name string
	run  func(ctx context.Context, s settings) (report, error)
}

var parts = []part{{"many", many}, {"soak", soak}, {"clean", clean}}

func run(args []string, stdout, stderr io.Writer) int {
	s, chosen, ok := parse(args, stderr)
	if !ok {
		return 2
	}
	// Interrupted, it still removes what it laid out.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Fprintf(stderr, "load: %s, -seed %d\n", chosen.name, s.seed)
	r, err := chosen.run(ctx, s)
	if err != nil {
		fmt.Fprintln(stderr, "load:", err)
		return 1
	}
	if err := r.write(stdout, s.markdown); err != nil || len(r.problems) > 0 {
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (s settings, chosen part, ok bool) {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.chats, "chats", 64, "many: conversations at once")
	flags.IntVar(&s.iterations, "iterations", 100, "many: iterations of each loop")
	flags.IntVar(&s.calls, "calls", 5, "tool events a turn")
	flags.BoolVar(&s.twice, "twice", false, "many: the hook is installed in two places")
	flags.IntVar(&s.atOnce, "at-once", 0, "many: run no more than so many events at once; 0 is as many as there are, 2 for a processor with -twice")
	flags.BoolVar(&s.editor, "editor", false, "many: through the simulated editor and a login shell, not the bare hook")
	flags.IntVar(&s.events, "events", 100_000, "soak: events")
	flags.IntVar(&s.workers, "workers", 8, "soak: conversations at once")
	flags.IntVar(&s.rounds, "rounds", 1000, "clean: rounds")
	flags.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "what is done is drawn from this `number`")
	flags.BoolVar(&s.markdown, "markdown", false, "print sections of a Markdown page")
	flags.DurationVar(&s.atMost, "at-most", 24*time.Hour, "many, soak: come to an end after this time, whatever is left to do")
	flags.StringVar(&s.dir, "dir", "", "the `folder` below which all files are; default the temporary folder")
	flags.StringVar(&s.programs, "programs", "", "the `folder` of programs that were built; default is to build them")
	if len(args) == 0 {
		args = []string{"-help"}
	}
	name, rest := args[0], args[1:]
	for _, p := range parts {
		if p.name == name {
			chosen, args = p, rest
		}
	}
	if flags.Parse(args) != nil {
		return s, chosen, false
	}
	least := min(s.chats, s.iterations, s.calls, s.events, s.workers, s.rounds, s.atOnce+1)
	if chosen.run == nil || least < 1 || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "load: the first argument is many, soak or clean; numbers are at least 1")
		return s, chosen, false
	}
	return s, chosen, true
}
