// Package engine applies an event to a loop until it is decided. It answers the
// questions of loop.Decide with functions of its caller: whether typing is
// possible, the text of a prompt template, the verification of a promise. It is
// the only loop around loop.Decide.
package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Engine has the answers of one caller. A question without an answer is returned
// as the action.
type Engine struct {
	Store *state.Store
	Env   []string // for git

	Typing func(context.Context) loop.Typing
	Words  func(context.Context, loop.Words) loop.Filled // nil for the built-in words
	Verify func(context.Context, loop.State) (loop.Verification, error)

	// Apply replaces Store.Apply. Warn gets the error of an archive that is written
	// only at the next event: what was decided holds.
	Apply func(context.Context, string, loop.Event) (loop.State, loop.Action, error)
	Warn  func(error)
}

const (
	textWait = time.Second           // for the assistant's last words, before a limit ends the loop
	poll     = 20 * time.Millisecond // how often to look for them
)

// Decide applies an event. It never holds the loop's lock while it answers a
// question.
func (g Engine) Decide(ctx context.Context, id string, e loop.Event) (loop.State, loop.Action, error) {
	late := time.Now().Add(textWait)
	e.Words = g.Words != nil
	for {
		l, action, err := g.apply(ctx, id, e)
		if err != nil {
			return l, action, err
		}
		switch {
		case action.Kind == loop.AwaitText:
			if err := sleep(ctx, poll); err != nil {
				return l, action, err
			}
			e.Waited = time.Now().After(late)
		case action.Kind == loop.AskTyping && g.Typing != nil:
			e.Typing = g.Typing(ctx)
		case action.Kind == loop.AskWords && g.Words != nil:
			e.Filled = g.Words(ctx, *action.Words)
		case action.Kind == loop.AskVerify && g.Verify != nil:
			if e.Verified, err = g.Verify(ctx, l); err != nil {
				return l, action, err
			}
			e.Verified.ID = l.Verifying.ID
		default:
			return l, action, nil
		}
	}
}

func (g Engine) apply(ctx context.Context, id string, e loop.Event) (loop.State, loop.Action, error) {
	apply := g.Apply
	if apply == nil {
		apply = g.Store.Apply
	}
	l, action, err := apply(ctx, id, e)
	if errors.As(err, new(*state.ArchiveError)) && g.Warn != nil {
		g.Warn(err)
		err = nil
	}
	return l, action, err
}

// Look adds to a completed stop, or to a continue after a turn whose stop no hook
// saw, what the workspace looks like now. It takes no lock: git may be slow. The
// error is git's; what is wrong with the loop itself, Decide finds out.
func (g Engine) Look(ctx context.Context, id string, e *loop.Event) error {
	l, err := g.Store.Read(id)
	if err != nil || !wantsLook(l, *e) {
		return nil
	}
	turn, err := g.Store.Turn(id, l, *e)
	if err != nil {
		return nil
	}
	l.Workspace = cmp.Or(l.Workspace, e.Workspace)
	e.Tree, e.Committed, err = worktree.After(ctx, l, turn, g.Env)
	return err
}

func wantsLook(l loop.State, e loop.Event) bool {
	if e.Kind == loop.EventContinue {
		return l.Unseen
	}
	return e.Status == loop.Completed && !l.Stop && (l.Status == loop.Running || l.Status == loop.Waiting)
}

// Baseline adds to a new loop what its workspace looks like, and what its
// verification obviously runs.
func Baseline(ctx context.Context, l loop.State, env []string) (loop.State, error) {
	var err error
	l.Tree, err = worktree.Look(ctx, l.Workspace, nil, env)
	l.VerifyFiles = worktree.Recipe(l.Verify, l.Workspace)
	return l, err
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
