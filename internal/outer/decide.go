package outer

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func (r *Runner) onStop(ctx context.Context, e loop.Event) (loop.State, loop.Action, error) {
	e.Kind, e.Waited = loop.EventStop, true
	if err := r.engine().Observe(ctx, r.id, &e); err != nil {
		r.trouble(err)
	}
	r.surveyed(e.Survey)
	return r.decide(ctx, e)
}

func (r *Runner) decide(ctx context.Context, e loop.Event) (loop.State, loop.Action, error) {
	l, action, err := r.engine().Decide(ctx, r.id, e)
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.Kind == loop.EventStop:
		l, _, err := r.gone(ctx)
		return l, loop.Action{}, err
	case err != nil:
		return l, action, err
	}
	if action.Warning != "" {
		r.trouble(errors.New(action.Warning))
	}
	if action.Kind != loop.Refuse || action.Promise != "" {
		r.tell(Report{Kind: ReportDecided, State: l, Action: action})
	}
	return l, action, nil
}

// BeginSurvey surveys a loop that has not begun.
func (r *Runner) BeginSurvey(ctx context.Context, l loop.State) loop.Survey {
	v := r.engine().TakeSurvey(ctx, l, true)
	r.surveyed(v)
	return v
}

func (r *Runner) surveyed(v loop.Survey) {
	for _, why := range v.Errors {
		r.trouble(errors.New(why))
	}
}

func (r *Runner) engine() engine.Engine {
	return engine.Engine{Store: r.Store, View: r.View, Verify: r.verified, Survey: r.Survey, Apply: r.step, Warn: r.trouble}
}

// goOn continues a loop and returns the text for its agent, or "" if the loop has
// ended.
func (r *Runner) goOn(ctx context.Context, e loop.Event) (loop.State, string, error) {
	l, action, err := r.decide(ctx, e)
	switch {
	case err != nil:
		return l, "", err
	case action.Kind == loop.Refuse && l.Status.Ended() && action.Promise != "":
		return l, "", nil // its last turn kept the promise
	case action.Kind == loop.Refuse:
		return l, "", &RefusedError{hint.New(action.Why(), action.Hint)}
	}
	return l, action.Text, nil
}

// RefusedError means that a loop cannot be continued, and that nothing has changed.
type RefusedError struct{ error }

// Unwrap returns why.
func (e *RefusedError) Unwrap() error { return e.error }

// verifyEnd is the time for an unwanted verification to end.
const verifyEnd = 20 * time.Second

// verified runs the verification of a promise. If the run is interrupted, it pauses the
// loop at once, which ends the verification.
func (r *Runner) verified(ctx context.Context, l loop.State) (loop.Verification, error) {
	r.tell(Report{Kind: ReportVerify, State: l})
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
		case <-done: // its result no longer counts
		case <-time.After(verifyEnd):
		}
	}
	return v, nil
}

// applyWait is how long to wait for the loop's lock, which others hold for about a
// millisecond.
const applyWait = 10 * time.Second

// step applies an event once, also while the run is being interrupted.
func (r *Runner) step(_ context.Context, id string, e loop.Event) (loop.State, loop.Action, error) {
	ctx, cancel := context.WithTimeout(context.Background(), applyWait)
	defer cancel()
	return r.Store.Apply(ctx, id, e)
}

// act is decide without a report.
func (r *Runner) act(e loop.Event) (loop.State, loop.Action, error) {
	return r.engine().Decide(context.Background(), r.id, e)
}

func (r *Runner) apply(e loop.Event) (loop.State, error) {
	l, _, err := r.act(e)
	return l, err
}
