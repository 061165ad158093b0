package notice

import (
	"context"
	"encoding/json"
	"io"
	"runtime"

	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/internal/verify"
)

// Command is a user's command that gets JSON on its standard input.
type Command struct {
	Text  string // for the user's shell
	Dir   string // empty is ours
	Shell string // empty is the system's
	Self  string // the path of cursor-ralph, which supervises it
	Env   []string
	Input any // written as one JSON object and a line break
}

// Run runs the command in its own session and returns its exit code, -1 without one. When ctx is done, and when the command has
// ended, all that it has started is ended too. What it prints is discarded.
func (c Command) Run(ctx context.Context) (exit int, err error) {
	data, err := json.Marshal(c.Input)
	if err != nil {
		return -1, err
	}
	argv := verify.Arguments(runtime.GOOS, c.Shell, c.Text)
	p, err := supervise.Start(supervise.Command{Argv: argv, Dir: c.Dir, Env: c.Env, Self: c.Self})
	if err != nil {
		return -1, err
	}
	go func() {
		_, _ = p.Stdin.Write(append(data, '\n')) // an error: it does not read
		_ = p.Stdin.Close()
	}()
	go func() { _, _ = io.Copy(io.Discard, p.Stdout) }()
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Stop()
	}
	return p.Exit()
}
