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
	defer p.tree.close()
	r := Result{Exit: -1}
	select {
	case <-p.ended:
		r.Exit, r.Why = p.result()
		p.sweep(false)
	case <-timed.Done():
		r.Why = fmt.Sprintf("it did not end within %s and was killed", limit)
		if ctx.Err() != nil {
			r.Why = "it was given up"
		}
		p.stop()
		if !p.sweep(true) {
			r.Why += "; something that it started could not be killed and still runs"
		}
	}
	r.Output = p.output()
	return r
}

// process is a command that was started.
type process struct {
	cmd   *exec.Cmd
	tree  *tree
	ended chan struct{} // closed when the command has ended, whatever it left
	err   error         // of its end, then
	pipe  *os.File      // our end of its output
	tail  tail
	read  chan struct{} // closed when the output has ended
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
	p := &process{cmd: exec.Command(args[0], args[1:]...), pipe: pipe, ended: make(chan struct{}), read: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = c.Dir, c.Env, w, w
	p.cmd.SysProcAttr = apart()
	p.tree, err = start(p.cmd)
	if err = errors.Join(err, w.Close()); p.tree == nil {
		return nil, errors.Join(err, pipe.Close())
	}
	go p.wait()
	go p.copy()
	return p, nil
}

// check finds what a system says nothing clear of, or nothing at all: an empty
// command succeeds in every shell.
func (c Command) check() error {
	if c.Text == "" {
		return errors.New("there is no command")
	}
	if c.Dir == "" {
		return nil
	}
	info, err := os.Stat(c.Dir)
	if err == nil && !info.IsDir() {
		err = &os.PathError{Op: "chdir", Path: c.Dir, Err: syscall.ENOTDIR}
	}
	return err
}

func (p *process) wait() {
	p.err = p.cmd.Wait()
	close(p.ended)
}

func (p *process) copy() {
	defer close(p.read)
	// An error is the end too: it is we who close the pipe early.
	_, _ = p.pipe.WriteTo(&p.tail)
}

// result tells of a command that ended by itself.
func (p *process) result() (exit int, why string) {
	state := p.cmd.ProcessState
	switch {
	case state == nil:
		return -1, fmt.Sprintf("its end is not known: %v", p.err)
	case state.ExitCode() < 0:
		return -1, fmt.Sprintf("it was killed (%s)", state)
	}
	return state.ExitCode(), ""
}

// stop asks everything to end, and gives it a moment.
func (p *process) stop() {
	p.tree.signal(true, syscall.SIGTERM)
	until(grace, func() bool { return p.over() && !p.tree.signal(true, 0) })
}

// sweep kills what runs, all of it or what has not moved away, and tells
// whether it is gone. What is killed may have started more the moment before,
// so it looks again until there is nothing.
func (p *process) sweep(all bool) bool {
	return until(patience, func() bool {
		over := p.over() // asked before the look: it may start more and end while we look
		return !p.tree.signal(all, syscall.SIGKILL) && over
	})
}

// over tells whether the command itself has ended.
func (p *process) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
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

// until looks again and again whether something is done, for a time.
func until(limit time.Duration, done func() bool) bool {
	end := time.Now().Add(limit)
	for wait := time.Millisecond; !done(); wait = min(2*wait, 50*time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
		time.Sleep(wait)
	}
	return true
}
