// Package printmode drives agents that take one prompt, print what they do, and
// exit: the print mode of cursor-agent, claude, codex, gemini and opencode with
// their JSON streams, or any program that prints text. It does not decide about the
// next turn: package outer does.
//
// Print mode cannot ask the user. The policy becomes the agent's own flags, and the
// agent enforces them.
package printmode

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc/supervise"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// Config is an agent and what it may do.
type Config struct {
	Preset Preset       // the zero value is a program that prints text
	Argv   []string     // the program with its arguments; replaces a preset's program
	Args   []string     // more arguments
	Dir    string       // the workspace, absolute
	Env    []string     // nil is ours
	Model  string       // empty is the agent's choice
	Policy outer.Policy // PolicyAsk is an error
	Self   string       // the path of cursor-ralph, which supervises the agent's process tree

	Grace  time.Duration // for a cancelled agent to exit; 0 is three seconds
	Linger time.Duration // for an agent to exit after its result; 0 is a minute
}

// Open returns a driver for an agent. Each turn starts the agent. The caller closes
// the driver.
//
// A program without a preset gets the prompt in place of {prompt}, or on its
// standard input if no argument contains {prompt}. Everything it prints is what
// the assistant says.
func Open(c Config) outer.Driver {
	c.Grace = cmp.Or(c.Grace, 3*time.Second)
	c.Linger = cmp.Or(c.Linger, time.Minute)
	return &driver{Config: c}
}

type driver struct {
	Config
	session string       // to resume
	total   *loop.Tokens // that it took, by an agent that reports that

	mu      sync.Mutex
	process *supervise.Process // nil between turns
	closed  bool
}

var errClosed = errors.New("the agent was closed")

// Turn implements outer.Driver.
func (d *driver) Turn(ctx context.Context, p outer.Prompt, see func(outer.Seen)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d.session = cmp.Or(d.session, p.Session)
	if p.Fresh {
		d.session = ""
	}
	t, err := d.once(ctx, p, see)
	if t != nil && t.lostSession && d.session != "" && !t.acted && ctx.Err() == nil {
		d.session = ""
		_, err = d.once(ctx, p, see)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (d *driver) once(ctx context.Context, p outer.Prompt, see func(outer.Seen)) (*turn, error) {
	run, err := d.invocation(p, d.session)
	if err != nil {
		return nil, err
	}
	process, err := d.start(run)
	if err != nil {
		return nil, err
	}
	defer d.setProcess(nil)
	if d.Preset.parse == nil {
		see(outer.Seen{Started: true}) // it may print nothing for a long time, unlike a stream
	}
	go feed(process.Stdin, run.stdin)
	turnOver := make(chan struct{})
	defer close(turnOver)
	go d.endWith(ctx, turnOver, process)

	t, resumed := newTurn(d.Config, see), d.session != ""
	if resumed {
		t.before = d.total
	}
	t.read(process)
	d.took(t, resumed)
	code, err := process.Exit()
	d.session = cmp.Or(t.session, d.session)
	return t, t.result(code, err, process.Tail())
}

func (d *driver) start(run invocation) (*supervise.Process, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	if err := run.check(runtime.GOOS, exec.LookPath); err != nil {
		return nil, &outer.StartError{Agent: d.name(), Err: err, Hint: "use its ACP mode, or install it as an .exe"}
	}
	process, err := supervise.Start(supervise.Command{Argv: run.argv, Dir: d.Dir, Env: run.env, Self: d.Self})
	if err != nil {
		hint := ""
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			hint = cmp.Or(d.Preset.Hint, "is it installed and in PATH?")
		}
		return nil, &outer.StartError{Agent: d.name(), Err: err, Hint: hint}
	}
	d.process = process
	return process, nil
}

func (d *driver) setProcess(p *supervise.Process) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.process = p
}

// feed sends the agent its prompt. If the agent exits without reading it, its
// output says why.
func feed(w io.WriteCloser, prompt string) {
	_, _ = io.WriteString(w, prompt)
	_ = w.Close()
}

// endWith ends the agent when ctx is done: first with an interrupt, like Ctrl-C,
// then with a termination signal, then by killing it.
func (d *driver) endWith(ctx context.Context, turnOver <-chan struct{}, process *supervise.Process) {
	select {
	case <-turnOver:
		return
	case <-ctx.Done():
	}
	process.Interrupt()
	select {
	case <-process.Done():
	case <-time.After(d.Grace):
		process.Stop(time.Second)
	}
}

// Close implements outer.Driver.
func (d *driver) Close() error {
	d.mu.Lock()
	d.closed = true
	process := d.process
	d.mu.Unlock()
	if process != nil {
		process.Stop(time.Second)
	}
	return nil
}

func (c Config) name() string {
	if c.Preset.Name == "" && len(c.Argv) > 0 {
		return c.Argv[0]
	}
	return c.Preset.Name
}
