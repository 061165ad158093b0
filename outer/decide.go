package outer

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// stopped lets the loop decide what follows a turn.
func (r *Runner) stopped(ctx context.Context, e loop.Event) (loop.State, loop.Action, error) {
	e.Kind, e.Aborts, e.Waited, e.Began = loop.EventStop, true, true, time.Now()
	if e.Status == loop.Completed {
		r.look(ctx, &e)
	}
	return r.decide(ctx, e)
}

// decide applies an event until it is decided, with the verification that it may
// ask for in between.
func (r *Runner) decide(ctx context.Context, e loop.Event) (loop.State, loop.Action, error) {
	e.Words = r.Words != nil
	for {
		l, action, err := r.act(e)
		switch {
		case errors.Is(err, fs.ErrNotExist) && e.Kind == loop.EventStop:
			l, _, err := r.gone(ctx)
			return l, loop.Action{}, err
		case err != nil:
			return l, action, err
		case action.Kind == loop.AskVerify:
			r.tell(Report{Kind: ReportVerify, State: l})
			e.Verified = r.verified(ctx, l)
			continue
		case action.Kind == loop.AskWords:
			e.Worded = r.Words(ctx, *action.Words)
			continue
		}
		r.tell(Report{Kind: ReportDecided, State: l, Action: action})
		return l, action, nil
	}
}

// goOn continues a loop, and gives the text that its agent gets; none where it
// has ended.
func (r *Runner) goOn(ctx context.Context, e loop.Event) (loop.State, string, error) {
	l, action, err := r.decide(ctx, e)
	switch {
	case err != nil:
		return l, "", err
	case action.Kind == loop.Refuse && l.Status.Ended() && action.Promise != "":
		return l, "", nil // what it did last was enough
	case action.Kind == loop.Refuse:
		return l, "", &RefusedError{action.Why, action.Hint}
	}
	return l, action.Text, nil
}

// look adds to the end of a turn what the workspace looks like now, without the
// loop's lock: git may take its time.
func (r *Runner) look(ctx context.Context, e *loop.Event) {
	l, err := r.Store.Read(r.id)
	if err != nil || l.Stop || l.Status == loop.Paused {
		return // what is wrong is found out when it is decided on
	}
	turn, err := r.Store.Unfolded(r.id, l)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	if e.Tree, e.Committed, err = worktree.After(ctx, l, turn, r.Env); err != nil {
		r.trouble(err)
	}
}

// verifyEnd is how long a verification may take to end that is not wanted any
// more.
const verifyEnd = 20 * time.Second

// verified has a promise verified. When the run is interrupted the loop is
// paused at once, which ends the verification.
func (r *Runner) verified(ctx context.Context, l loop.State) loop.Verification {
	asking, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	done := make(chan loop.Verification, 1)
	go func() { done <- r.Verify(asking, l) }()
	v := loop.Verification{Exit: -1, Why: "interrupted"}
	select {
	case v = <-done:
	case <-ctx.Done():
		if _, err := r.interrupted(ctx, l); !errors.Is(err, ctx.Err()) {
			r.trouble(err)
		}
		select {
		case <-done: // its result counts no more
		case <-time.After(verifyEnd):
		}
	}
	v.ID = l.Verifying.ID
	return v
}

// applyWait is how long the loop's lock is waited for. It is held for about a
// millisecond.
const applyWait = 10 * time.Second

// act applies an event, also when the run is being interrupted: what has
// happened has happened.
func (r *Runner) act(e loop.Event) (loop.State, loop.Action, error) {
	ctx, cancel := context.WithTimeout(context.Background(), applyWait)
	defer cancel()
	l, action, err := r.Store.Apply(ctx, r.id, e)
	var later *state.ArchiveError
	if errors.As(err, &later) {
		r.trouble(err) // what was decided holds
		err = nil
	}
	return l, action, err
}

func (r *Runner) apply(e loop.Event) (loop.State, error) {
	l, _, err := r.act(e)
	return l, err
}
