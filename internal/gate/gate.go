// Package gate runs the command that a promise must pass (--verify), and ends
// what it leaves behind. It does not know what a promise is, and decides
// nothing.
package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// DefaultTimeout is how long a command without a Timeout may take.
const DefaultTimeout = 10 * time.Minute

const (
	grace    = time.Second            // between the request to end and the kill
	patience = 5 * time.Second        // for the end of what was killed
	drain    = 500 * time.Millisecond // for output after the end, if something holds the pipe open
)

// Command is what has to succeed before a promise counts.
type Command struct {
	Text    string        // as the user wrote it, for his shell
	Dir     string        // where it runs: the workspace
	Shell   string        // the user's shell (absolute path); empty is the system's
	Env     []string      // nil is ours
	Timeout time.Duration // then it is killed, with all that it has started; 0 is DefaultTimeout
}

// Result is how it went.
type Result struct {
	Passed  bool
	Exit    int    // -1 where it has none
	Why     string // empty if it ended by itself
	Output  string // the last of stdout and stderr together: 60 lines, 8 KiB
	Seconds float64
}

// Run runs a command to its end, and says how it went. At its timeout, or when
// ctx is done, the command is asked to end and then killed, and so is all that
// it has started, wherever that has moved to. Of one that ended by itself what
// still runs in its session is killed; what has left that on purpose, as the
// daemon of a build tool does, is left alone, except on Windows.
//
// On Linux this process adopts meanwhile what has lost its parent. So it must
// run one command at a time, and start nothing else while one runs.
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
	case <-p.ended:
		r.Exit, r.Why = p.Exit()
		p.Sweep(false)
	case <-timed.Done():
		r.Why = fmt.Sprintf("it did not end within %s and was killed", limit)
		if ctx.Err() != nil {
			r.Why = "it was given up"
		}
		p.Stop(context.Background(), grace)
		if !p.Sweep(true) {
			r.Why += "; something that it started could not be killed and still runs"
		}
	}
	r.Output = p.output()
	return r
}

// process is a command that was started.
type process struct {
	*Tree
	pipe *os.File // our end of its output
	tail Tail
	read chan struct{} // closed when the output has ended
}

func (c Command) start() (*process, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	pipe, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	args := arguments(runtime.GOOS, c.Shell, c.Text)
	p, cmd := &process{pipe: pipe, read: make(chan struct{})}, exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, w, w
	p.Tree, err = Start(cmd)
	if err = errors.Join(err, w.Close()); p.Tree == nil {
		return nil, errors.Join(err, pipe.Close())
	}
	go p.copy()
	return p, nil
}

// check finds what a system says nothing clear of, or nothing at all: an empty
// command succeeds in every shell.
func (c Command) check() error {
	if c.Text == "" {
		return errors.New("there is no command")
	}
	return CheckDir(c.Dir)
}

// CheckDir tells why no program can be started in a folder, of which a system
// says nothing clear. An empty one is ours.
func CheckDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	return err
}

func (p *process) copy() {
	defer close(p.read)
	// An error is the end too: it is we who close the pipe early.
	_, _ = p.pipe.WriteTo(&p.tail)
}

// output gives what was printed. Who still holds the pipe open is not waited for.
func (p *process) output() string {
	late := time.NewTimer(drain)
	defer late.Stop()
	select {
	case <-p.read:
	case <-late.C:
	}
	_ = p.pipe.Close() // nothing was written to it
	return p.tail.String()
}
