package main

import (
	"context"
	"os"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
)

// superviseCommand runs an agent, and ends its process tree when the process
// that started us is gone.
func superviseCommand(_ context.Context, _ *env, args []string) error {
	code, err := supervise.Run(args, os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		return hint.New("supervise: "+err.Error(), "`cursor-ralph run` runs this")
	}
	if code != 0 {
		return cli.Exited(code)
	}
	return nil
}
