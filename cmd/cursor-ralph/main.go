// Cursor-ralph starts, watches, steers and ends Ralph loops, and installs the
// hook that keeps them going. The user types it into a terminal; the agent
// runs it when a slash command or a continuation tells it to.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)) }

// run runs one command line and returns its exit code: 0 for success, 1 for failure, 2
// for misuse.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends us at once
	e := &env{&cli.Env{Stdin: stdin, Stdout: stdout, Stderr: stderr, Getenv: getenv, Now: time.Now}}
	err := dispatch(ctx, e, args)
	if err == nil {
		return 0
	}
	return e.Complain(err)
}

// endings are the signals that end us cleanly. Under nohup, SIGHUP stays ignored.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// env is what a command of this program has to work with.
type env struct{ *cli.Env }

// in runs a command of another room.
func in(run func(context.Context, *cli.Env, []string) error) func(context.Context, *env, []string) error {
	return func(ctx context.Context, e *env, args []string) error { return run(ctx, e.Env, args) }
}

// command is a row of the table that help, completion and dispatch share.
type command struct {
	name    string
	args    string
	summary string
	details string // further lines of its help
	example string // arguments that work
	anyArgs bool   // the command looks at its arguments itself
	long    bool   // it waits for more than a lock, and has deadlines of its own
	flags   func(*pflag.FlagSet)
	run     func(ctx context.Context, e *env, args []string) error
}

func dispatch(ctx context.Context, e *env, args []string) error {
	if len(args) == 0 || slices.Contains([]string{"help", "--help", "-h"}, args[0]) {
		return help(e, args)
	}
	switch args[0] {
	case "--version":
		args[0] = "version"
	case "tend": // a run that an older cursor-ralph started before an upgrade
		args[0] = "supervise"
	}
	c, ok := find(args[0])
	if !ok {
		return unknownCommand(args[0])
	}
	e.Flags = flagSet(c)
	if err := e.Flags.Parse(args[1:]); errors.Is(err, pflag.ErrHelp) {
		return commandHelp(e, c)
	} else if err != nil {
		return badFlag(e.Flags, err)
	}
	if err := c.checkArgs(e.Flags.Args()); err != nil {
		return err
	}
	if err := e.Open(); err != nil {
		return err
	}
	if !c.long {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cli.LockWait)
		defer cancel()
	}
	return c.run(ctx, e, e.Flags.Args())
}

func flagSet(c command) *pflag.FlagSet { return cli.FlagSet(c.name, c.flags) }

func find(name string) (command, bool) {
	for _, c := range table() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}
