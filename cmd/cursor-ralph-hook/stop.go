package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// stop answers the end of a turn: with the next continuation, or with {}.
func (h *handler) stop(ctx context.Context) any {
	if h.isIdle() {
		h.afterEnd(ctx, loop.Completed) // however it ended
		return nil
	}
	var e hook.Stop
	if err := h.in.Decode(&e); err != nil {
		h.fail(err)
		return nil
	}
	event := loop.Event{
		Kind:       loop.EventStop,
		Generation: e.GenerationID,
		Workspace:  h.workspace(),
		Stop:       loop.Stop{Status: loop.StopStatus(e.Status), LoopCount: e.LoopCount, Minimal: h.flags.minimal, Began: h.now(), CursorVersion: h.in.CursorVersion, FollowupWait: h.followupWait(), Tokens: tokens(e.Usage)},
	}
	if !h.hasLoop(ctx, &event) {
		return nil
	}
	event.Aborts = h.aborts(event.Status)
	event.SessionLimit = h.sessionLimit(e.LoopCount)
	l, action, err := h.decideStop(ctx, event)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if l, err := h.store.Archived(h.in.ConversationID); err == nil {
			h.verifyLate(l) // a copy of our hook may have been killed before it did
		}
		return nil // ended meanwhile, from another terminal
	case err != nil:
		h.fail(err)
		return nil
	}
	h.seeDelivery(action.Delivery)
	h.logDecision(l, action)
	h.watched = action.Kind == loop.Followup
	h.notify(l, action)
	h.verifyLate(l)
	if action.Kind == loop.Inject {
		h.inject(ctx, l)
	}
	if action.Text == "" {
		return nil
	}
	return hook.StopAnswer{FollowupMessage: action.Text}
}

// isIdle reports whether a stop surely does not concern us: there is neither a
// loop nor one that waits. Decoding such a stop would cost more than this.
func (h *handler) isIdle() bool {
	has, err := h.store.Has(h.in.ConversationID)
	return !has && err == nil && !h.box.Waiting(h.claimant(true)) && !h.claimedMeanwhile()
}

// decideStop claims the loop that waits if the one that was there had ended, or
// was no loop.
func (h *handler) decideStop(ctx context.Context, event loop.Event) (loop.State, loop.Action, error) {
	id, g := h.in.ConversationID, h.engine()
	g.Typing = h.typing
	g.Verify = func(ctx context.Context, l loop.State) (loop.Verification, error) {
		v := h.verify(l)
		h.renew() // a verification takes as long as it takes
		return v, nil
	}
	h.look(ctx, g, id, &event)
	l, action, err := g.Decide(ctx, id, event)
	if errors.As(err, new(*state.CorruptError)) {
		h.fail(err)
		err = fs.ErrNotExist // it was moved aside
	}
	if errors.Is(err, fs.ErrNotExist) && h.claim(ctx, &event) {
		return g.Decide(ctx, id, event)
	}
	return l, action, err
}

func (h *handler) engine() engine.Engine {
	return engine.Engine{Store: h.store, Env: os.Environ(), Words: h.fillIn, Survey: h.survey, Warn: h.fail}
}

// lookWait is how long the editor is held by a git that hangs.
const lookWait = 2300 * time.Millisecond

func (h *handler) look(ctx context.Context, g engine.Engine, id string, e *loop.Event) {
	ctx, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	h.gitFailed(g.Look(ctx, id, e))
}

func (h *handler) gitFailed(err error) {
	if err != nil {
		h.log(hooklog.Line{Action: "git-not-asked", Why: err.Error()})
	}
}

// withBaseline adds to a new loop what its workspace looks like before it.
func (h *handler) withBaseline(ctx context.Context, l loop.State) loop.State {
	l, err := h.engine().Baseline(ctx, l, h.now())
	h.gitFailed(err)
	return l
}
