package main

import (
	"context"
	"os"

	"github.com/cursor-ralph/cursor-ralph/internal/tend"
)

// tendCommand runs an agent, and ends it with all that it has started when the
// process that wants it is gone.
func tendCommand(_ context.Context, _ *env, args []string) error {
	code, err := tend.Supervise(args, os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		return problem("tend: "+err.Error(), "`cursor-ralph run` runs this")
	}
	if code != 0 {
		return exited(code)
	}
	return nil
}

// exited is an exit code that is passed on, of which nothing is said.
type exited int

// Error is not shown.
func (exited) Error() string { return "it failed" }
