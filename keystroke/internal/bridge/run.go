package bridge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
)

// cursorRun is what became of Cursor's command. What it printed counts also if
// it failed.
type cursorRun struct {
	out        string
	err        error
	notStarted bool // so it did nothing
}

// cursor runs Cursor's command for a bounded time. It is a script that starts
// another program, so its whole process group is killed if it takes too long. What
// it leaves running after its end, such as a window of Cursor, stays.
func cursor(ctx context.Context, m desk.Machine, wait time.Duration, stdin, path string, args ...string) cursorRun {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	out, err := proc.Command{Path: path, Args: args, Env: m.Env, Stdin: stdin, Limit: desk.OutputLimit}.Output(ctx)
	r := cursorRun{out: string(out), err: err}
	switch notStarted := (*fs.PathError)(nil); {
	case ctx.Err() != nil:
		r.err = fmt.Errorf("no answer in %s", wait)
	case errors.Is(err, proc.ErrHeld): // it left a child with our streams
		r.err = nil
	case errors.As(err, &notStarted):
		r.notStarted = true
	}
	return r
}
