// Cursor-ralph starts, watches, steers and ends Ralph loops, and installs the
// hook that keeps them going. The user types it into a terminal; the agent
// runs it when a slash command or a continuation tells it to.
package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)) }

// run runs one command line and returns its exit code: 0 for success, 1 for failure, 2
// for misuse.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	ctx := cli.UntilSignalled(context.Background())
	e := &env{&cli.Env{Terminal: cli.Terminal{Stdin: stdin, Stdout: stdout, Stderr: stderr, Getenv: getenv}, Now: time.Now}}
	if err := e.execute(ctx, args); err != nil {
		return e.Complain(err)
	}
	return 0
}

// env is what a command of this program has to work with.
type env struct{ *cli.Env }

// in runs a command of another room.
func in(run func(context.Context, *cli.Env, []string) error) runner {
	return func(ctx context.Context, e *env, args []string) error { return run(ctx, e.Env, args) }
}
