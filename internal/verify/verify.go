// Package verify runs the command that a promise must pass (--verify), and ends what
// it leaves behind. It does not decide about the promise.
package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// DefaultTimeout applies to a command without a Timeout.
const DefaultTimeout = 10 * time.Minute

const (
	grace = time.Second            // for a command to end before we kill it
	drain = 500 * time.Millisecond // for output after the end, if something holds the pipe open
)

// Command is the command that must succeed before a promise counts.
type Command struct {
	Text    string        // as the user wrote it for their shell
	Dir     string        // where it runs: the workspace
	Shell   string        // the user's shell (absolute path); empty is the system's
	Env     []string      // nil is ours
	Timeout time.Duration // after which we kill its process tree; 0 is DefaultTimeout
}

// Result is how a command ended.
type Result struct {
	Passed  bool
	Exit    int    // -1 if there is no exit code
	Why     string // why there is none; empty if it ended by itself
	Output  string // the end of stdout and stderr together: 60 lines, 8 KiB
	Seconds float64
}

// Run runs a command to its end. At its timeout, or when ctx is done, Run stops and
// then kills its process group, and on Linux also what has left it. If
// the command ended by itself, Run kills what still runs in its process group. Processes
// that left the group, such as the daemon of a build tool, stay, except on Windows.
//
// On Linux this process adopts orphans meanwhile. So it must run one command at a time,
// and start nothing else while one runs.
func Run(ctx context.Context, c Command) Result {
	began := time.Now()
	r := c.run(ctx)
	r.Passed = r.Exit == 0 && r.Why == ""
	r.Seconds = time.Since(began).Seconds()
	return r
}

func (c Command) run(ctx context.Context) Result {
	limit := cmp.Or(c.Timeout, DefaultTimeout)
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if ctx.Err() != nil {
		return Result{Exit: -1, Why: "it was given up"}
	}
	p, err := c.start()
	if err != nil {
		return Result{Exit: -1, Why: fmt.Sprintf("it could not be started: %v", err)}
	}
	defer p.Close()
	r := Result{Exit: -1}
	select {
	case <-p.Ended():
		if r.Exit, err = p.Exit(); err != nil {
			r.Why = err.Error()
		}
		_ = p.KillGroup() // the command has ended: what it could not end does not change how
	case <-timed.Done():
		r.Why = fmt.Sprintf("it did not end within %s and was killed", text.Exactly(limit))
		if ctx.Err() != nil {
			r.Why = "it was given up"
		}
		p.Stop(grace)
		if err := p.Kill(); err != nil {
			r.Why += "; " + err.Error()
		}
	}
	r.Output = p.output()
	return r
}

// process is a started command.
type process struct {
	*supervise.Tree
	pipe *os.File // our end of its output
	tail supervise.Tail
	read chan struct{} // closed when the output has ended
}

func (c Command) start() (*process, error) {
	if c.Text == "" { // a shell would succeed
		return nil, errors.New("there is no command")
	}
	if err := supervise.CheckDir(c.Dir); err != nil {
		return nil, err
	}
	pipe, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	args := Arguments(runtime.GOOS, c.Shell, c.Text)
	p, cmd := &process{pipe: pipe, read: make(chan struct{})}, exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, w, w
	p.Tree, err = supervise.StartTree(cmd)
	if err = errors.Join(err, w.Close()); p.Tree == nil {
		return nil, errors.Join(err, pipe.Close())
	}
	go p.copy()
	return p, nil
}

func (p *process) copy() {
	defer close(p.read)
	_, _ = p.pipe.WriteTo(&p.tail) // an error is the end too: we may close the pipe early
}

// output returns what was printed. It does not wait for programs that still hold the
// pipe open.
func (p *process) output() string {
	late := time.NewTimer(drain)
	defer late.Stop()
	select {
	case <-p.read:
	case <-late.C:
	}
	_ = p.pipe.Close() // only read from
	return p.tail.String()
}
