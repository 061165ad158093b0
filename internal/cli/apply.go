package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// LockWait is how long a command waits for a lock. Locks are held for about a
// millisecond.
const LockWait = 10 * time.Second

// Apply applies an event to the loop that a conversation or run has, or to the
// pending one of this name.
func (e *Env) Apply(ctx context.Context, id string, event loop.Event) (loop.State, loop.Action, error) {
	return e.applied(ctx, event, func(ctx context.Context) (loop.State, loop.Action, error) {
		l, action, err := e.Loops.Apply(ctx, id, event)
		if errors.Is(err, fs.ErrNotExist) {
			var found loops.Loop
			if found, err = e.Loops.At(id); err == nil {
				err = e.NotLive(found)
			} else {
				err = e.unknown(id, err)
			}
		}
		return l, action, err
	})
}

// Steer applies an event to a loop that was found, unless it is over.
func (e *Env) Steer(ctx context.Context, found loops.Loop, event loop.Event) (loop.State, loop.Action, error) {
	return e.applied(ctx, event, func(ctx context.Context) (loop.State, loop.Action, error) {
		l, action, err := e.Loops.Steer(ctx, found, event)
		if errors.Is(err, fs.ErrNotExist) {
			now, unknown := e.Loops.Resolve(found.State.ShortID())
			err = cmp.Or(e.unknown(found.State.ShortID(), unknown), e.NotLive(now), err)
		}
		return l, action, err
	})
}

// applied logs what was done, and returns a refusal as an error for people.
func (e *Env) applied(ctx context.Context, event loop.Event, apply func(context.Context) (loop.State, loop.Action, error)) (loop.State, loop.Action, error) {
	ctx, cancel := context.WithTimeout(ctx, LockWait)
	defer cancel()
	l, action, err := apply(ctx)
	var later *state.ArchiveError
	switch {
	case errors.As(err, &later): // the decision stands; archiving is retried with the next event
		fmt.Fprintf(e.Stderr, "cursor-ralph: this was done, but not saved for good: %s\n", Printable(err.Error()))
	case err != nil:
		return l, action, loops.Hinted(err)
	}
	e.LogSteered(l, action, event.Kind)
	if l.Status.Ended() {
		e.Prune()
	}
	if action.Kind == loop.Refuse {
		return l, action, hint.New(action.Why(), action.Hint)
	}
	return l, action, nil
}

// LogSteered logs what a command did, beside what the hook decides.
func (e *Env) LogSteered(l loop.State, a loop.Action, kind loop.EventKind) {
	line := hooklog.Line{Conversation: l.ConversationID, Loop: l.ShortID(), Event: "cursor-ralph", Iteration: a.Iteration, Max: l.MaxIterations, Promise: a.Promise}
	switch {
	case l.Status.Ended() && (a.Kind != loop.Refuse || a.Promise != ""):
		line.Action, line.Reason, line.Why = string(l.Status), a.Reason, cmp.Or(a.Why(), l.Reason)
	case a.Kind == loop.Refuse:
		return
	case kind == loop.EventPause:
		line.Action = "paused"
	case kind == loop.EventResume:
		line.Action = "resumed"
	case kind == loop.EventSet:
		line.Action, line.Why = "set", l.Understood("")
	case kind == loop.EventContext:
		line.Action = "context-added"
	case kind == loop.EventContinue && a.Kind != loop.AskVerify:
		line.Action, line.Reason = "continued", a.Reason
	default:
		return
	}
	e.Log(line)
}

// Log appends a line to the hook's log. What matters is in the loop's file too, so it
// has no error.
func (e *Env) Log(line hooklog.Line) {
	line.At = e.Now()
	_ = hooklog.Append(e.Places.Log(), line) // there is nowhere else to report it
}
