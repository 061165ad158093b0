// Package acp drives agents that speak the Agent Client Protocol, JSON-RPC on
// their standard input and output (https://agentclientprotocol.com). It is the
// client's side: it starts the agent, gives it prompts in a session, tells what
// it sees, and answers what the agent asks for by the user's policy. When to
// give it another turn is not decided here.
//
// What the policy can hold back is what an agent asks for. Most agents ask
// before they write or execute, but their own settings decide that.
package acp

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/outer"
)

// Policy is what an agent may do when it asks. The zero value allows nothing.
type Policy string

// The policies.
const (
	PolicyNone  Policy = "none"  // every request is rejected
	PolicyEdits Policy = "edits" // reading and editing inside the workspace, nothing else
	PolicyAsk   Policy = "ask"   // the user is asked each time
	PolicyAll   Policy = "all"   // every request is allowed
)

// Config is an agent, and what it may do.
type Config struct {
	Argv   []string // the program, with what makes it speak the protocol
	Args   []string // more arguments, after those
	Dir    string   // the workspace, absolute
	Env    []string // nil is ours
	Self   string   // the path of cursor-ralph, which ends what the agent leaves behind
	Name   string   // what the agent is called; its program, if empty
	Hint   string   // what to do where the program is missing
	Model  string   // empty is the agent's choice
	Policy Policy

	// ModelFlag is the argument that names a model at the start, for agents
	// that may not offer to choose one in the session.
	ModelFlag string
	// AskEnv are variables, as NAME=value, with which an agent asks for permission
	// that would not. They are not set under PolicyAll.
	AskEnv []string
	// Auth is the agent's name of the way to authenticate, where it wants that.
	Auth string
	// Ask answers a request under PolicyAsk, one at a time. Without it nothing is
	// allowed under that policy.
	Ask func(context.Context, Request) bool

	StartLimit time.Duration // for each step until the agent takes a prompt; 0 is two minutes
	Grace      time.Duration // for the agent to end a turn that was cancelled; 0 is five seconds
}

// Request is something that the agent wants to do, for the user to decide.
type Request struct {
	Kind    string   // read, edit, delete, move, search, execute, think, fetch, switch_mode or other
	Title   string   // the agent's words for it
	Command string   // what would be executed
	Paths   []string // what would be read or written
	Outside bool     // something of that is outside of the workspace
	Always  bool     // the agent takes a yes for all that is like it
}

// Open gives a driver for an agent. The agent is started by the first turn.
func Open(c Config) outer.Driver {
	c.StartLimit = cmp.Or(c.StartLimit, 2*time.Minute)
	c.Grace = cmp.Or(c.Grace, 5*time.Second)
	if c.Name == "" && len(c.Argv) > 0 {
		c.Name = c.Argv[0]
	}
	return &driver{Config: c, asking: make(chan struct{}, 1)}
}

// driver keeps an agent running from turn to turn.
type driver struct {
	Config
	asking chan struct{} // holds one: the user is asked one thing at a time

	mu      sync.Mutex
	agent   *agent // nil if none runs
	session string // the agent's name of the session to go on with
	closed  bool
}

var errClosed = errors.New("the agent was closed")

// Turn implements outer.Driver.
func (d *driver) Turn(ctx context.Context, p outer.Prompt, see func(outer.Seen)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a, err := d.ready(ctx, p)
	if err != nil {
		d.drop()
		return d.notReady(ctx, err)
	}
	err = a.turn(ctx, p.Text, p.Guarded, see)
	switch {
	case a.over():
		d.drop()
	case forgotten(err):
		a.session = nil
	}
	return err
}

// ready gives the agent in the session that the prompt is for.
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
		if err := a.choose(ctx, d.Model); err != nil {
			return nil, err
		}
	}
	return a, a.guard(ctx, p.Guarded)
}

// running gives an agent that has said hello.
func (d *driver) running(ctx context.Context) (*agent, error) {
	if d.agent != nil && !d.agent.over() {
		return d.agent, nil
	}
	d.drop()
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, errClosed
	}
	a, err := launch(d)
	d.agent = a
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return a, a.hello(ctx)
}

// drop ends the agent; the next turn starts another.
func (d *driver) drop() {
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
	d.drop()
	return nil
}
