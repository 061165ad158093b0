// Cursor-ralph starts, watches, steers and ends Ralph loops, and installs the
// hook that keeps them going. The user types it into a terminal; the agent
// runs it when a slash command or a continuation tells it to.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)) }

// run does what one command line asks for. It gives 0 when that is done, 1
// when it failed and 2 when the command line was wrong.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends us at once
	e := &env{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, now: time.Now}
	err := dispatch(ctx, e, args)
	if err == nil {
		return 0
	}
	return e.complain(err)
}

// endings are the signals that ask us to end: what we have started then is ended
// first. A user of nohup does not want the one of a terminal that is closed.
func endings() []os.Signal {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// outliveReader keeps us going when who reads our output is gone first, as tee
// is after Ctrl-C, or head when it has its lines: what is written then is an
// error like others, and what has to be tidied up is.
func outliveReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// env is what a command has to work with.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	now            func() time.Time

	flags  *pflag.FlagSet
	places platform.Places
	store  *state.Store
	box    *pending.Box
}

func (e *env) open() error {
	places, err := platform.Find(e.getenv)
	if errors.As(err, new(*fs.PathError)) {
		return err
	} else if err != nil {
		return problem(err.Error(), "unset it, or give the whole path")
	}
	e.places = places
	e.store, e.box = state.New(places, e.now), pending.New(places, e.now)
	return nil
}

// command is one line of the table that help, completion and dispatch share.
type command struct {
	name    string
	args    string
	summary string
	details string // further lines of its help
	example string // arguments that work
	hidden  bool
	long    bool // it waits for more than a lock, and has deadlines of its own
	flags   func(*pflag.FlagSet)
	run     func(ctx context.Context, e *env, args []string) error
}

func dispatch(ctx context.Context, e *env, args []string) error {
	if len(args) == 0 || slices.Contains([]string{"help", "--help", "-h"}, args[0]) {
		return help(e, args)
	}
	if args[0] == "--version" {
		args[0] = "version"
	}
	c, ok := find(args[0])
	if !ok {
		return misuse(fmt.Sprintf("unknown command %q", args[0]), "`cursor-ralph help` lists the commands")
	}
	e.flags = flagSet(c)
	if err := e.flags.Parse(args[1:]); errors.Is(err, pflag.ErrHelp) {
		return commandHelp(e, c)
	} else if err != nil {
		what, _, _ := strings.Cut(err.Error(), ": strconv.") // pflag quotes the libraries that it uses
		what, _, _ = strings.Cut(what, ": time: ")
		return misuse(c.name+": "+what, "`cursor-ralph help "+c.name+"` shows what it takes")
	}
	if c.args == "" && e.flags.NArg() > 0 {
		return misuse(fmt.Sprintf("%s takes no argument such as %q", c.name, e.flags.Arg(0)), "`cursor-ralph help "+c.name+"` shows what it takes")
	}
	if err := e.open(); err != nil {
		return err
	}
	if !c.long {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lockWait)
		defer cancel()
	}
	return c.run(ctx, e, e.flags.Args())
}

func flagSet(c command) *pflag.FlagSet {
	set := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.SortFlags = false
	if c.flags != nil {
		c.flags(set)
	}
	return set
}

func find(name string) (command, bool) {
	for _, c := range table() {
		if c.name == name {
			return c, true
		}
	}
	return command{}, false
}
