package main

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// textWait is how long a stop waits for the assistant's words before it ends a
// loop by a limit.
const textWait = time.Second

// stop answers the end of a turn: with the next continuation, or with {}.
func (h *handler) stop(ctx context.Context) any {
	if h.idle() {
		return nil
	}
	var e hook.Stop
	if err := h.in.Decode(&e); err != nil {
		h.fail(err)
		return nil
	}
	event := loop.Event{
		Kind: loop.EventStop, Status: loop.StopStatus(e.Status), LoopCount: e.LoopCount,
		Generation: e.GenerationID, Minimal: h.flags.minimal,
		Workspace: h.workspace(), Began: h.now(), Words: true,
	}
	if !h.hasLoop(ctx, &event) {
		return nil
	}
	if event.Status == loop.Aborted {
		h.seeAbort()
	}
	event.SessionLimit = h.sessionLimit(e.LoopCount)
	event.Aborts = h.aborts(event.Status)
	h.lookAround(ctx, &event)
	l, action, err := h.decide(ctx, event)
	var corrupt *state.CorruptError
	if errors.As(err, &corrupt) {
		h.fail(err)
		err = fs.ErrNotExist // it is out of the way now
	}
	if errors.Is(err, fs.ErrNotExist) && h.claim(ctx, &event) {
		l, action, err = h.decide(ctx, event) // what was there had ended, and another loop waited
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if l, err := h.store.Archived(h.in.ConversationID); err == nil {
			h.verifyLater(l) // a copy of our hook may have been killed before it did
		}
		return nil // ended in between, from another terminal
	case err != nil:
		h.fail(err)
		return nil
	}
	h.decided(l, action)
	h.notify(l, action)
	h.verifyLater(l)
	if action.Kind == loop.Inject {
		h.inject(ctx, l)
	}
	if action.Text == "" {
		return nil
	}
	return hook.StopAnswer{FollowupMessage: action.Text}
}

// idle tells whether a stop is surely nothing to us: there is neither a loop nor
// one that waits. To read such a stop would cost more than to find that out.
func (h *handler) idle() bool {
	has, err := h.store.Has(h.in.ConversationID)
	return !has && err == nil && !h.box.Waiting(h.claimant(true))
}

// decide applies the stop. A loop that would end by a limit in a turn of which
// no text was seen waits a little for it: the text may have been overtaken. At
// the session limit it is found out whether the continue line can be typed. A
// promise is verified without the loop's lock, and not within our usual time.
func (h *handler) decide(ctx context.Context, event loop.Event) (loop.State, loop.Action, error) {
	late := h.now().Add(textWait)
	for {
		event.Waited = h.now().After(late)
		l, action, err := h.store.Apply(ctx, h.in.ConversationID, event)
		var later *state.ArchiveError
		if errors.As(err, &later) {
			h.fail(err) // what was decided holds
			err = nil
		}
		if err != nil {
			return l, action, err
		}
		switch action.Kind {
		case loop.AskTyping:
			event.Typing = h.typing(ctx)
		case loop.AskWords:
			event.Worded = h.worded(ctx, *action.Words)
		case loop.AskVerify:
			event.Verified = h.verify(l)
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), deadline)
			defer cancel()
		case loop.AwaitText:
			if !wait(ctx, poll) {
				return l, action, ctx.Err()
			}
		default:
			return l, action, nil
		}
	}
}
