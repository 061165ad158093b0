// Package acp drives agents that speak the Agent Client Protocol, JSON-RPC on
// standard input and output (https://agentclientprotocol.com). It is the client: it
// starts the agent, sends prompts, reports what the agent does, and answers its
// requests by the user's policy. It does not decide about the next turn: package
// outer does.
//
// The policy covers what an agent asks for. Most agents ask before they write or
// execute, but their own settings decide that.
package acp

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// Config is an agent and what it may do.
type Config struct {
	Argv   []string // the program, with the arguments that make it speak the protocol
	Args   []string // more arguments
	Dir    string   // the workspace, absolute
	Env    []string // nil is ours
	Self   string   // the path of cursor-ralph, which supervises the agent's process tree
	Name   string   // of the agent in messages; if empty, its program
	Hint   string   // what to do if the program is missing
	Model  string   // empty is the agent's choice
	Policy outer.Policy

	// ModelFlag names the model at the start, for agents that may not offer a
	// choice of models in the session.
	ModelFlag string
	// AskEnv are NAME=value variables that make an agent ask for permission if it
	// would not. They are not set under PolicyAll.
	AskEnv []string
	// Ask answers a request under PolicyAsk. Calls do not overlap. If it is nil,
	// nothing is allowed.
	Ask func(context.Context, Request) Answer

	StartLimit time.Duration // for each step until the agent accepts a prompt; 0 is two minutes
	Grace      time.Duration // for the agent to end a cancelled turn; 0 is five seconds
}

// Request is an action that the agent asks permission for.
type Request struct {
	Kind      string     // read, edit, delete, move, search, execute, think, fetch, switch_mode or other
	Title     string     // in the agent's words
	Says      []string   // more of the agent's words
	Execution *Execution // nil if it executes nothing
	Edits     []Edit     // if the agent shows them
	Paths     []string   // files that it reads or writes, absolute
	Input     []string   // the rest of the tool's input, each as field: value in JSON
	Outside   bool       // it reaches, or may reach, outside the workspace
	Executed  bool       // it writes a file that tools execute on their own
	Lasting   bool       // Always is a possible answer

	reach []string // every path that the input may name, absolute
	exact bool     // the execution is fully known
}

// Answer is what the user says to a request.
type Answer int

// The answers.
const (
	No     Answer = iota
	Yes           // to this request alone
	Always        // also to others that want exactly this command, or to change this file, until the driver is closed
)

// Execution is what would be executed. Argv and Line are both empty if the agent
// does not say.
type Execution struct {
	Argv []string // a program and its arguments
	Line string   // or a line for a shell
	Dir  string   // absolute
	Env  []string // NAME=value, added to the agent's environment
}

// Edit is a change to one file.
type Edit struct {
	Path string // absolute
	Old  string // the file, or the part that is replaced; empty for a new file
	New  string
}

// Open returns a driver for an agent. The first turn starts the agent, and the
// caller closes the driver.
func Open(c Config) outer.Driver {
	c.StartLimit = cmp.Or(c.StartLimit, 2*time.Minute)
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	if c.Name == "" && len(c.Argv) > 0 {
		c.Name = c.Argv[0]
	}
	return &driver{Config: c, asking: make(chan struct{}, 1), lasting: map[string]bool{}}
}

type driver struct {
	Config
	asking chan struct{} // full while the user is asked

	mu      sync.Mutex
	agent   *agent // nil if none runs
	session string // to resume
	closed  bool
	lasting map[string]bool // the keys of requests that the user always allows
}

// Turn implements outer.Driver.
func (d *driver) Turn(ctx context.Context, p outer.Prompt, see func(outer.Seen)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a, err := d.ready(ctx, p)
	if err != nil {
		d.stopAgent()
		return d.startError(ctx, err)
	}
	see(outer.Seen{Started: true})
	err = a.prompt(ctx, p.Text, p.Guarded, see)
	switch {
	case a.hasEnded():
		d.stopAgent()
	case isLostSession(err):
		a.session = nil
	}
	return err
}

func (d *driver) ready(ctx context.Context, p outer.Prompt) (*agent, error) {
	a, err := d.running(ctx)
	if err != nil {
		return nil, err
	}
	d.session = cmp.Or(d.session, p.Session)
	if p.Fresh {
		a.session, d.session = nil, ""
	}
	if a.session == nil {
		if a.session, err = a.open(ctx, d.session); err != nil {
			return nil, err
		}
		d.session = a.session.ID
		if err := a.setModel(ctx, d.Model); err != nil {
			return nil, err
		}
	}
	return a, a.setGuard(ctx, p.Guarded)
}

func (d *driver) running(ctx context.Context) (*agent, error) {
	if d.agent != nil && !d.agent.hasEnded() {
		return d.agent, nil
	}
	d.stopAgent()
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, errors.New("the agent was closed")
	}
	a, err := launch(d)
	d.agent = a
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return a, a.initialize(ctx)
}

// stopAgent ends the agent; the next turn starts another.
func (d *driver) stopAgent() {
	d.mu.Lock()
	a := d.agent
	d.agent = nil
	d.mu.Unlock()
	if a != nil {
		a.stop()
	}
}

// Close implements outer.Driver.
func (d *driver) Close() error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.stopAgent()
	return nil
}
