package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
)

// poll is how often a condition is looked at that another process brings about.
const poll = 20 * time.Millisecond

// claim gives the conversation a loop that waits for it, if there is one. At a
// stop that is the event, else nil.
func (h *handler) claim(ctx context.Context, stop *loop.Event) bool {
	stopped := stop != nil && stop.Status == loop.Completed
	who := h.claimant(stopped)
	if !h.box.Waiting(who) {
		return false
	}
	for {
		taken, err := h.claimOnce(ctx, who, stop)
		switch {
		case err == nil:
			return !taken || h.claimed(ctx)
		case errors.Is(err, pending.ErrHalfWritten) && stopped:
			if !wait(ctx, poll) {
				return false
			}
		case errors.Is(err, pending.ErrHalfWritten), errors.Is(err, fs.ErrNotExist):
			return false
		default:
			h.fail(err)
			return false
		}
	}
}

func (h *handler) claimant(stopped bool) pending.Claimant {
	return pending.Claimant{
		ID: h.in.ConversationID, Workspaces: h.in.WorkspaceRoots, Stopped: stopped, Minimal: h.flags.minimal,
	}
}

// claimOnce tries once. Without an error there is a loop; taken tells whether
// we brought it, and not another copy of our hook.
func (h *handler) claimOnce(ctx context.Context, who pending.Claimant, stop *loop.Event) (taken bool, err error) {
	err = h.store.Claim(ctx, who.ID, func(live string) error {
		if stop != nil && h.justEnded(*stop) {
			return fs.ErrNotExist
		}
		warning, err := h.box.Claim(ctx, who, live)
		if warning != nil {
			h.fail(warning)
		}
		taken = err == nil
		return err
	})
	return taken, err
}

// claimed takes a look at the loop that was claimed, and tells it where it is.
func (h *handler) claimed(ctx context.Context) bool {
	l, _, err := h.store.Apply(ctx, h.in.ConversationID, loop.Event{Workspace: h.workspace()})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false // cancelled at this very moment
	case err != nil:
		h.fail(err)
		return false
	}
	h.log(hooklog.Line{Iteration: l.Iterations, Max: l.MaxIterations, Action: "claimed"})
	return true
}

// workspace is the folder that the conversation's window has open, the first
// one of several.
func (h *handler) workspace() string {
	if len(h.in.WorkspaceRoots) == 0 {
		return ""
	}
	return h.in.WorkspaceRoots[0]
}

// justEnded tells whether this very stop has ended the conversation's loop
// already, in another copy of our hook: then it may not claim the next one. It
// is asked under the loop's lock, or the other copy might be about to end it.
func (h *handler) justEnded(stop loop.Event) bool {
	l, err := h.store.Archived(h.in.ConversationID)
	return err == nil && l.SawStop(stop, h.now())
}

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
