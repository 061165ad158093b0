// Package outer is the loop around agents that have no stop hook: it gives an
// agent a turn, looks at what became of it, lets package loop decide, as the
// stop hook does in Cursor, and gives it the next one.
//
// How agents are talked to is not known here: that is a Driver. The idea of
// such a loop, and of a folder in the workspace that holds its prompt and its
// state, comes from Ralph Wiggum for OpenCode:
// https://raw.githubusercontent.com/Th0rgal/open-ralph-wiggum/refs/heads/master/ralph.ts
package outer

import (
	"context"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Driver talks to one agent. Its methods are not called at the same time, but
// for Close, which may end a Turn.
type Driver interface {
	// Turn gives the agent a prompt and returns when its turn is over. It starts
	// the agent first where that has to be done. What it sees meanwhile it tells
	// in order, from one goroutine at a time, and nothing after it has returned.
	//
	// It returns nil where the agent ended its turn; a *StartError where there is
	// no agent to talk to, a *TransientError where the same turn may succeed
	// later, context.Canceled where the agent says that it was cancelled, and
	// any other error where the turn failed. When ctx is done it cancels the turn
	// as the agent knows to be asked, waits a few seconds at most, and returns
	// the error of ctx; all that the agent began in this turn is over then.
	Turn(ctx context.Context, p Prompt, see func(Seen)) error

	// Close ends the agent and every process that it has started.
	Close() error
}

// Prompt is what an agent gets in a turn.
type Prompt struct {
	Text    string
	Fresh   bool   // in a new session; else in the one before, if there is one
	Session string // the one to take up again, after a restart of ours; empty if none is known
	Guarded bool   // it may read and plan, and is denied all that writes or executes
}

// Seen is something that happened in a turn.
type Seen struct {
	// Record is for the journal: a finished tool call (RecordTool, with the
	// Tool's name, the File that it wrote, the Error of a failed one) or a whole
	// message of the assistant (RecordText). Its Kind is empty where there is
	// nothing to record. Own, At and Generation are filled in by the loop.
	Record  loop.Record
	Command string // what the recorded tool call ran in a shell

	// What follows is for display alone, but for the session.
	Text    string // a piece of what the assistant says
	Tool    string // a tool call that has begun, in a few words
	Plan    string // the agent's plan, in lines
	Session string // the agent's name of the session that goes on
}

// StartError tells that an agent could not be started, or did not get so far
// that it takes a prompt. It ends a run at once.
type StartError struct {
	Agent string
	Err   error
	Hint  string // what to do about it
}

// Error tells what went wrong.
func (e *StartError) Error() string { return "start " + e.Agent + ": " + e.Err.Error() }

// Unwrap gives what went wrong.
func (e *StartError) Unwrap() error { return e.Err }

// TransientError tells that a turn failed for a reason that goes away by itself:
// a rate limit, or a service that is overloaded.
type TransientError struct {
	Err   error
	After time.Duration // as the agent says; zero if it does not
}

// Error tells what went wrong.
func (e *TransientError) Error() string { return e.Err.Error() }

// Unwrap gives what went wrong.
func (e *TransientError) Unwrap() error { return e.Err }
