// Package acp drives agents that speak the Agent Client Protocol
// (https://agentclientprotocol.com) on standard input and output. It is the client: it
// starts the agent, sends prompts, reports what the agent does, and answers its requests
// for permission by the user's policy. It offers the agent neither files nor terminals:
// agents use their own tools. It does not decide about the next turn: package outer
// does.
//
// The policy covers what an agent asks for, and it believes the label that the agent puts
// on a request. Most agents ask before they write or execute, but their own settings
// decide that.
package acp

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/outer"
)

// Config is an agent and what it may do.
type Config struct {
	Argv   []string // the program, with the arguments that make it speak the protocol
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
	// Meta is passed to the agent with each new session.
	Meta map[string]any
	// Ask answers a request under PolicyAsk, and returns when ctx is done. Calls do not
	// overlap. If it is nil, nothing is allowed.
	Ask func(context.Context, Request) bool

	StartLimit time.Duration // for each step until the agent accepts a prompt; 0 is two minutes
	Grace      time.Duration // for the agent to end a cancelled turn; 0 is five seconds
}

// Open returns a driver for an agent. The first turn starts the agent, and the
// caller closes the driver.
func Open(c Config) outer.Driver {
	c.StartLimit = cmp.Or(c.StartLimit, 2*time.Minute)
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	if c.Name == "" && len(c.Argv) > 0 {
		c.Name = c.Argv[0]
	}
	return &driver{Config: c}
}

type driver struct {
	Config
	asking sync.Mutex // held while the user is asked

	mu      sync.Mutex
	agent   *agent // nil if none runs
	session string // to resume
	closed  bool
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
	err = a.prompt(ctx, p, see)
	if a.hasEnded() {
		d.stopAgent()
	} else if err != nil {
		a.session = nil // the next turn loads it, or begins another: the agent may have lost it
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
		d.session = string(a.session.id)
		if err := a.setModel(ctx, d.Model); err != nil {
			return nil, err
		}
	}
	return a, a.setGuard(ctx, p.Plans)
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
		a.process.Stop()
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
