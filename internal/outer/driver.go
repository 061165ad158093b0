// Package outer is the loop around agents without a stop hook: it starts a turn of the
// agent, checks the result, lets package loop decide as Cursor's stop hook does, and
// starts the next turn.
//
// A [Runner] runs one loop. It needs the loop's [Lock], since two processes never drive
// one loop, and a [Driver], which talks to the agent: see packages acp and program.
// The caller calls Lock.Leave and Driver.Close.
//
// The idea of such a loop comes from Ralph Wiggum for OpenCode:
// https://raw.githubusercontent.com/Th0rgal/open-ralph-wiggum/refs/heads/master/ralph.ts
package outer

import (
	"context"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Driver talks to one agent. Calls do not overlap, except that Close may end a
// Turn.
type Driver interface {
	// Turn gives the agent a prompt and returns when its turn is over. It starts
	// the agent if necessary. It reports what happens to see, in order, from one
	// goroutine at a time, and never after it has returned.
	//
	// It returns nil if the agent ended its turn, a *StartError if there is no agent
	// to talk to, context.Canceled if the agent says that it was cancelled, and any
	// other error if the turn failed. When ctx is done it cancels the turn in the agent's own
	// way, waits a few seconds at most, ends everything that the agent began in this
	// turn, and returns the error of ctx.
	Turn(ctx context.Context, p Prompt, see func(Seen)) error

	// Close ends the agent and its process tree.
	Close() error
}

// Prompt is what an agent gets in a turn.
type Prompt struct {
	Text    string
	Fresh   bool   // use a new session instead of the current one
	Session string // the one to resume after a restart of cursor-ralph, or empty
	Plans   bool   // deny everything that writes or executes, except a plan
}

// Seen is something that happened in a turn.
type Seen struct {
	// Record is for the journal: a finished tool call (RecordTool, with the tool's
	// name, the file that it wrote, the error if it failed) or a whole message of
	// the assistant (RecordText). Its Kind is empty if there is nothing to record.
	// The loop fills in Own, At and Generation.
	Record  loop.Record
	Command string // that the recorded tool call ran in a shell

	// Started says that the agent accepts the prompt. A driver sets it if the agent
	// may be silent for some time.
	Started bool

	Session string // the agent's id of the session

	// The rest is only displayed.
	Text    string // a piece of what the assistant says
	Thought string // a piece of what it thinks
	Tool    string // a tool call that has begun, in one line
	Plan    string // the agent's plan, in lines
}

// StartError means that the agent could not be started or did not accept a prompt.
// It ends the run.
type StartError struct {
	Agent string
	Err   error
	Hint  string // what to do about it
}

// Error returns what failed, and names the agent once.
func (e *StartError) Error() string {
	what := "start " + e.Agent + ": "
	return what + strings.TrimPrefix(e.Err.Error(), what)
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }
