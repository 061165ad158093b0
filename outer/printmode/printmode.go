// Package printmode drives agents that take one prompt, print what they do, and
// end: the print mode of cursor-agent, claude, codex, gemini and opencode with
// their streams of JSON, or any program that prints text. When to give an agent
// another turn is not decided here.
//
// Nobody can be asked in print mode. So what an agent may do is said when it is
// started, in its own flags, and it is the agent who keeps to them.
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

	"github.com/cursor-ralph/cursor-ralph/internal/tend"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// Policy is what an agent may do. The zero value allows nothing.
type Policy string

// The policies.
const (
	PolicyNone  Policy = "none"  // what the agent allows by itself
	PolicyEdits Policy = "edits" // editing inside the workspace, too
	PolicyAll   Policy = "all"   // everything
)

// Config is an agent, and what it may do.
type Config struct {
	Preset Preset   // the zero value is a program that prints text
	Argv   []string // the program with its arguments; with a preset its program, if that is not the preset's own
	Args   []string // more arguments
	Dir    string   // the workspace, absolute
	Env    []string // nil is ours
	Model  string   // empty is the agent's choice
	Policy Policy
	Self   string // the path of cursor-ralph, which ends what the agent leaves behind

	Grace  time.Duration // for an agent to end that is cancelled; 0 is three seconds
	Linger time.Duration // for an agent to end that has told its result; 0 is a minute
}

// Open gives a driver for an agent. Each turn starts it.
//
// A program without a preset gets the prompt in the place of {prompt}, as one
// argument, or, if there is no such argument, on its standard input. All that it
// prints is what the assistant says.
func Open(c Config) outer.Driver {
	c.Grace = cmp.Or(c.Grace, 3*time.Second)
	c.Linger = cmp.Or(c.Linger, time.Minute)
	return &driver{Config: c}
}

type driver struct {
	Config
	session string // the one to go on with

	mu      sync.Mutex
	process *tend.Process // nil if none runs
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
	if t != nil && t.lost && d.session != "" && !t.acted && ctx.Err() == nil {
		d.session = "" // the agent does not know it any more
		_, err = d.once(ctx, p, see)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// once runs the agent for a prompt.
func (d *driver) once(ctx context.Context, p outer.Prompt, see func(outer.Seen)) (*turn, error) {
	run, err := d.invocation(p, d.session)
	if err != nil {
		return nil, err
	}
	process, err := d.start(run)
	if err != nil {
		return nil, err
	}
	defer d.over()
	go feed(process.Stdin, run.stdin)
	defer d.endWith(ctx, process)()

	t := newTurn(d.Config, see)
	t.read(process)
	code, err := process.Exit()
	d.session = cmp.Or(t.session, d.session)
	return t, t.result(code, err, process.Tail())
}

// start starts the agent, where it was not closed meanwhile.
func (d *driver) start(run invocation) (*tend.Process, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	if err := run.check(runtime.GOOS, exec.LookPath); err != nil {
		return nil, &outer.StartError{Agent: d.name(), Err: err, Hint: "use its ACP mode, or one that is an .exe"}
	}
	process, err := tend.Start(tend.Command{Argv: run.argv, Dir: d.Dir, Env: run.env, Self: d.Self})
	if err != nil {
		hint := ""
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			hint = cmp.Or(d.Preset.Hint, "is it installed, and in a folder of PATH?")
		}
		return nil, &outer.StartError{Agent: d.name(), Err: err, Hint: hint}
	}
	d.process = process
	return process, nil
}

func (d *driver) over() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.process = nil
}

// feed gives the agent its prompt. One that does not read it to the end has its
// reasons: what it prints tells.
func feed(w io.WriteCloser, prompt string) {
	_, _ = io.WriteString(w, prompt)
	_ = w.Close()
}

// endWith ends the agent when ctx is done, until the function that it gives is
// called: as Ctrl-C does, then as a system does that shuts down, then for good.
func (d *driver) endWith(ctx context.Context, process *tend.Process) (stop func()) {
	turnIsOver := make(chan struct{})
	go func() {
		select {
		case <-turnIsOver:
			return
		case <-ctx.Done():
		}
		process.Interrupt()
		select {
		case <-process.Done():
		case <-time.After(d.Grace):
			process.Stop(time.Second)
		}
	}()
	return func() { close(turnIsOver) }
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

func (d *driver) name() string { return d.Config.name() }

func (c Config) name() string {
	if c.Preset.Name == "" && len(c.Argv) > 0 {
		return c.Argv[0]
	}
	return c.Preset.Name
}
