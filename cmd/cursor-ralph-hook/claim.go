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
	who := pending.Claimant{
		ID: h.in.ConversationID, Workspaces: h.in.WorkspaceRoots, Stopped: stopped, Minimal: h.flags.minimal,
	}
	if !h.box.Waiting(who) || stop != nil && h.justEnded(*stop) {
		return false
	}
	for {
		err := h.claimOnce(ctx, who)
		switch {
		case err == nil:
			return h.claimed()
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

func (h *handler) claimOnce(ctx context.Context, who pending.Claimant) error {
	return h.store.Claim(ctx, who.ID, func(live string) error {
		warning, err := h.box.Claim(ctx, who, live)
		if warning != nil {
			h.fail(warning)
		}
		return err
	})
}

func (h *handler) claimed() bool {
	l, err := h.store.Read(h.in.ConversationID)
	if err != nil {
		h.fail(err)
		return false
	}
	h.log(hooklog.Line{Iteration: l.Iterations, Max: l.MaxIterations, Action: "claimed"})
	return true
}

// justEnded tells whether this very stop has ended the conversation's loop
// already, in another copy of our hook: then it may not claim the next one.
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
