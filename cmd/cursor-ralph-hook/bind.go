package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/owncall"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
)

// bind gives the file, or the loop, that a printed token names to this
// conversation.
func (h *handler) bind(ctx context.Context, c call, has bool) {
	token := pending.FindToken(c.output)
	calls := owncall.AnyCalls(c.command)
	starts := slices.Contains(calls, "slash") || slices.Contains(calls, "start")
	switch {
	case token == "":
	case starts && pending.IsToken(token):
		h.bindPending(ctx, token, has)
	case slices.Contains(calls, "slash") || slices.Contains(calls, "continue"):
		h.bindContinued(ctx, token)
	}
}

func (h *handler) bindPending(ctx context.Context, token string, has bool) {
	id := h.in.ConversationID
	if has {
		h.second(ctx, token)
		return
	}
	_, err := h.box.Bind(ctx, token, id)
	switch {
	case errors.Is(err, fs.ErrNotExist): // bound already
		return
	case errors.Is(err, fs.ErrExist):
		if h.claim(ctx, nil) {
			h.second(ctx, token)
		}
		return
	case err != nil:
		h.fail(err)
		return
	}
	h.log(hooklog.Line{Action: "bound"})
	h.claim(ctx, nil)
}

// second takes out a loop that was asked for where one runs already: the
// running one gives way only if that was asked for too.
func (h *handler) second(ctx context.Context, token string) {
	running, _, err := h.store.Apply(ctx, h.in.ConversationID, loop.Event{})
	switch {
	case errors.Is(err, fs.ErrNotExist): // it has ended
		h.bindPending(ctx, token, false)
		return
	case err != nil:
		h.fail(err)
		return
	}
	item, err := h.box.ByToken(token)
	same := err == nil && running.SameTask(item.State)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		h.fail(err)
	case item.State.Replace && !same:
		h.replace(ctx, token)
	default:
		h.refuseSecond(ctx, item, same)
	}
}

// refuseSecond archives the file. The next continuation says so, unless it
// asked for the very loop that runs.
func (h *handler) refuseSecond(ctx context.Context, item pending.Item, same bool) {
	end := func(l loop.State) loop.State {
		l.ConversationID = h.in.ConversationID
		l.Status, l.EndedAt, l.Reason = loop.Cancelled, h.now(), "a loop ran already in the conversation that asked for it"
		return l
	}
	err := h.box.Change(ctx, item, end, func(l loop.State) error { return h.store.Put(ctx, l) })
	if err == nil && !same {
		_, _, err = h.store.Apply(ctx, h.in.ConversationID, loop.Event{Kind: loop.EventNotice, Text: secondNotice})
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // refused already
		return
	case err != nil:
		h.fail(err)
		return
	}
	h.log(hooklog.Line{Action: "second-loop-refused"})
}

const secondNotice = "A second loop was asked for in this conversation and was not started, because this one runs. To replace it, the user adds --replace."

func (h *handler) replace(ctx context.Context, token string) {
	id := h.in.ConversationID
	if _, err := h.box.Bind(ctx, token, id); err != nil {
		h.fail(err)
		return
	}
	l, action, err := h.store.Apply(ctx, id, loop.Event{Kind: loop.EventReplace})
	if err != nil {
		h.fail(err)
		return
	}
	h.decided(l, action)
	h.claim(ctx, nil)
}

// bindContinued brings a loop to this conversation, in which it was continued
// without knowing where it was.
func (h *handler) bindContinued(ctx context.Context, token string) {
	from, _, _ := strings.Cut(token, ":")
	l, err := h.store.Read(from)
	if err != nil || l.Token != token || from == h.in.ConversationID {
		return
	}
	err = h.store.Move(ctx, from, h.in.ConversationID)
	switch {
	case errors.Is(err, fs.ErrNotExist): // moved already
		return
	case errors.Is(err, fs.ErrExist):
		h.cannotMove(ctx, from)
		return
	case err != nil:
		h.fail(err)
		return
	}
	h.log(hooklog.Line{Iteration: l.Iterations, Max: l.MaxIterations, Action: "moved", Why: "from " + from})
}

// cannotMove leaves a loop where it was, because this conversation has one: it
// waits there, and the agent is told.
func (h *handler) cannotMove(ctx context.Context, from string) {
	_, _, err := h.store.Apply(ctx, from, loop.Event{Kind: loop.EventContinue, Idle: true})
	if err == nil {
		notice := "The loop of conversation " + from + " was not brought here, because this conversation has a loop of its own: go on with this one."
		_, _, err = h.store.Apply(ctx, h.in.ConversationID, loop.Event{Kind: loop.EventNotice, Text: notice})
	}
	if err != nil {
		h.fail(err)
	}
	h.log(hooklog.Line{Action: "not-moved", Why: "from " + from + ": a loop runs here"})
}
