package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

const (
	answerLimit = 256 << 10               // bytes: a program that prints more is not the one we expect
	stderrLimit = 4 << 10                 // bytes of stderr that an ExitError keeps
	drain       = 1500 * time.Millisecond // for output after the end of a program, or after a kill; on a busy machine it comes late
)

// ErrHeld means that the program succeeded, but something that it started still holds
// its stdout or stderr open. The output so far is returned too.
var ErrHeld = errors.New("a program that it started holds its output open")

// Command is a program that runs to its end.
type Command struct {
	Path string
	Args []string // without the program's name
	Dir  string   // empty is ours
	Env  []string // nil is ours

	Stdin string
	// HoldStdin keeps stdin open while we wait. If we are killed, the program sees its
	// end.
	HoldStdin bool

	Limit int // bytes of stdout, more is an error; 0 discards stdout and stderr

	// Contained ends what the program leaves running: on Windows also when we are killed,
	// elsewhere its process group.
	Contained bool
}

// ExitError is the error of a program that failed.
type ExitError struct {
	Code   int    // -1 if a signal ended it
	State  string // "exit status 3", "signal: killed"
	Stderr string // its first 4 KiB
}

// Error returns the state and the first line of stderr.
func (e *ExitError) Error() string {
	if line := text.FirstHead(e.Stderr, 200); line != "" {
		return e.State + ": " + text.Escape(line)
	}
	return e.State
}

// Run runs a program and discards its output. When ctx is done, the program is
// killed as by Output.
func Run(ctx context.Context, path string, args ...string) error {
	_, err := Command{Path: path, Args: args}.Output(ctx)
	return err
}

// Ask runs a program with HoldStdin and returns its stdout.
func Ask(ctx context.Context, path string, args ...string) ([]byte, error) {
	return Command{Path: path, Args: args, HoldStdin: true, Limit: answerLimit}.Output(ctx)
}

// Tell runs a program that reads input on its stdin and returns its stdout.
func Tell(ctx context.Context, input []byte, path string, args ...string) ([]byte, error) {
	return Command{Path: path, Args: args, Stdin: string(input), Limit: answerLimit}.Output(ctx)
}

// Output runs the program in its own session and returns its stdout, after an error
// the part before it. When ctx is done, it kills the program, on Unix with its process
// group, and returns an error that wraps ctx.Err(). Other errors are those of starting
// it, *ExitError and ErrHeld.
func (c Command) Output(ctx context.Context) ([]byte, error) {
	running, stop := context.WithCancel(ctx)
	defer stop()
	out, stderr := &head{limit: c.Limit, full: stop}, &head{limit: stderrLimit}
	cmd := exec.CommandContext(running, c.Path, c.Args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = c.Dir, c.Env, drain
	if c.Limit > 0 {
		cmd.Stdout, cmd.Stderr = out, stderr
	}
	err := c.run(cmd)
	failed := (*exec.ExitError)(nil)
	switch {
	case out.over:
		return nil, fmt.Errorf("it printed more than %d KiB", c.Limit>>10)
	case err != nil && ctx.Err() != nil:
		return out.data, fmt.Errorf("it did not end in time: %w", ctx.Err())
	case errors.Is(err, exec.ErrWaitDelay):
		return out.data, ErrHeld
	case errors.As(err, &failed):
		return out.data, &ExitError{failed.ExitCode(), failed.String(), string(stderr.data)}
	}
	return out.data, err
}

func (c Command) run(cmd *exec.Cmd) error {
	var in io.WriteCloser
	if c.Stdin != "" || c.HoldStdin {
		var err error
		if in, err = cmd.StdinPipe(); err != nil { // which Wait closes
			return err
		}
	}
	g, err := c.start(cmd)
	if err != nil {
		return err
	}
	defer g.close()
	if in != nil {
		go func() {
			_, _ = io.WriteString(in, c.Stdin) // the output shows whether it was read
			if !c.HoldStdin {
				_ = in.Close() // it may be closed already
			}
		}()
	}
	return cmd.Wait()
}

// head keeps the beginning of what is written to it.
type head struct {
	data  []byte
	limit int
	over  bool
	full  func() // called when there is more
}

func (h *head) Write(p []byte) (int, error) {
	kept := p[:min(len(p), h.limit-len(h.data))]
	h.data = append(h.data, kept...)
	if len(kept) < len(p) && h.full != nil {
		h.over = true
		h.full()
	}
	return len(p), nil
}
