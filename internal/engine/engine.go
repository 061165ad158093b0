// Package engine applies an event to a loop until it is decided. It answers the
// questions of loop.Decide with functions of its caller: whether typing is
// possible, the verification of a promise. It is
// the only loop around loop.Decide.
package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Engine has the answers of one caller. A question without an answer is returned
// as the action.
type Engine struct {
	Store *state.Store
	View  worktree.Viewer

	Typing func(_ context.Context, fresh bool) loop.Typing // into a chat, or to begin a new one
	Verify func(context.Context, loop.State) (loop.Verification, error)
	Survey func(ctx context.Context, l loop.State, begin bool) (loop.Survey, error)

	// Apply replaces Store.Apply. Warn gets the error of an archive that is written
	// only at the next event: what was decided holds.
	Apply func(context.Context, string, loop.Event) (loop.State, loop.Action, error)
	Warn  func(error)
}

const (
	textWait = time.Second           // for the assistant's last words, before a limit ends the loop
	poll     = 20 * time.Millisecond // how often to look at the size of the journal, which gets them
)

// Decide applies an event. It never holds the loop's lock while it answers a
// question.
func (g Engine) Decide(ctx context.Context, id string, e loop.Event) (loop.State, loop.Action, error) {
	late := time.Now().Add(textWait)
	size := int64(-1) // of the journal, not known
	for {
		l, action, err := g.apply(ctx, id, e)
		if err != nil {
			return l, action, err
		}
		switch {
		case action.Kind == loop.AwaitText:
			if size, err = g.awaitGrowth(ctx, id, size, late); err != nil {
				return l, action, err
			}
			e.Waited = time.Now().After(late)
		case action.Kind == loop.AskTyping && g.Typing != nil:
			e.Typing = g.Typing(ctx, action.Fresh)
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

// awaitGrowth waits until the journal has another size than the one that is known, and returns it.
func (g Engine) awaitGrowth(ctx context.Context, id string, known int64, late time.Time) (int64, error) {
	for {
		size, err := g.Store.JournalSize(id)
		if err != nil || size != known || time.Now().After(late) {
			return size, err
		}
		if err := proc.Sleep(ctx, poll); err != nil {
			return size, err
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

// Observe adds to a completed stop, or to a continue after a turn whose stop no hook
// saw, what the workspace looks like now. It takes no lock: git may be slow. The
// error is git's; what is wrong with the loop itself, Decide finds out.
func (g Engine) Observe(ctx context.Context, id string, e *loop.Event) error {
	l, err := g.Store.Read(id)
	if err != nil {
		return nil
	}
	if !wantsObservation(l, *e) {
		return nil
	}
	turn, err := g.Store.Turn(id, l, *e)
	if err != nil {
		return nil
	}
	l.Workspace = cmp.Or(l.Workspace, e.Workspace)
	e.Tree, e.Committed, err = g.View.After(ctx, l, turn)
	e.Survey = g.TakeSurvey(ctx, l, l.LacksTask())
	return err
}

func wantsObservation(l loop.State, e loop.Event) bool {
	if e.Kind == loop.EventContinue {
		return l.LastTurn
	}
	return e.Status == loop.Completed && !l.Stop && (l.Status == loop.Running || l.Status == loop.Waiting)
}

// Baseline adds to a new loop what its workspace looks like.
func (g Engine) Baseline(ctx context.Context, l loop.State, now time.Time) (loop.State, error) {
	var err error
	l.Tree, err = g.View.Tree(ctx, l.Workspace, nil)
	if l.IsSurveyed() {
		l.CreatedAt = now // its own id is final now
		l = l.In(l.ConversationID, now)
		l = l.Surveyed(g.TakeSurvey(ctx, l, true), now)
	}
	return l, err
}

// TakeSurvey surveys a loop that needs it, when it begins or at the end of a turn. What
// fails becomes part of the survey: it never breaks the stop.
func (g Engine) TakeSurvey(ctx context.Context, l loop.State, begin bool) loop.Survey {
	if g.Survey == nil || !l.IsSurveyed() {
		return loop.Survey{}
	}
	v, err := g.Survey(ctx, l, begin)
	if err != nil {
		v.Errors = append(v.Errors, err.Error())
	}
	v.Taken = true
	return v
}

// NoCheckpoints says why the checkpoints of a new loop cannot be kept; empty if they can, or if
// it has none.
func NoCheckpoints(l loop.State, env []string) string {
	if !l.Checkpoints {
		return ""
	}
	r, err := git.Find(l.Workspace, env)
	if err == nil {
		err = r.Writable()
	}
	switch {
	case errors.Is(err, git.ErrNoTree):
		return l.Workspace + " is in no git work tree"
	case err != nil:
		return err.Error()
	}
	return ""
}
