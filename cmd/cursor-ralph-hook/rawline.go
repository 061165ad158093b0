package main

import (
	"context"
	"errors"
	"io/fs"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// continueByLine does what cursor-ralph continue does, for a line that the agent
// may get as it is: pasted, or sent by the bridge. The agent is given the
// continuation as additional_context. If Cursor ignores that, the stop of this
// turn brings it; if Cursor expands the line as a slash command, the agent's own
// call confirms this and prints the same text.
func (h *handler) continueByLine(ctx context.Context, r loop.Request) any {
	id, here := r.Continue, h.in.ConversationID
	if h.isBroughtHere(id) {
		id = here
	}
	if id != here && h.hasAny(here) && !h.isBroughtHere(id) {
		return hook.BeforeSubmitPromptAnswer{AdditionalContext: "The loop of " + id + " was not brought here: another Ralph loop runs in this chat. Tell the user so. It can be ended with cursor-ralph cancel " + loop.Argument(here) + "."}
	}
	event := loop.Event{Kind: loop.EventContinue, Generation: h.in.GenerationID, Continue: r.Limits()}
	event.FromLine = true
	l, action, err := h.continueLoop(ctx, id, event)
	if errors.Is(err, fs.ErrNotExist) && id != here && h.isBroughtHere(id) {
		id = here
		l, action, err = h.continueLoop(ctx, id, event)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return askInstead(id) // it lists the loops that there are
	case err != nil:
		h.fail(err)
		return askInstead(id)
	case action.Kind == loop.AskVerify:
		return askInstead(id)
	}
	h.logDecision(l, action)
	h.watched = action.Kind == loop.Followup
	if action.Kind == loop.Refuse {
		return h.refuse("The Ralph loop was not continued: " + action.Why() + ". " + toSend(action))
	}
	if id != here && !h.bring(ctx, id, l) {
		return nil
	}
	return hook.BeforeSubmitPromptAnswer{AdditionalContext: action.Text}
}

// byShortID returns the conversation of a loop that the line names by its short id:
// this one, if the loop is here, or waited for any chat and begins here now, or that of
// another chat. An older loop of a chat is for cursor-ralph continue.
func (h *handler) byShortID(ctx context.Context, id string) string {
	if !loop.IsShortID(id) {
		return id
	}
	c, err := h.box.Begin(ctx, id, h.claimant(false))
	h.noteClaim(c)
	switch {
	case c.New || h.isHere(id):
		return h.in.ConversationID
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist):
		h.fail(err)
	}
	l, err := h.store.WithID(id)
	if err != nil || l.StartedAt.IsZero() || h.now().Sub(l.StartedAt).Abs() < armedTwice { // it was sent in two chats at once
		return id
	}
	return l.ConversationID
}

// isHere reports whether the loop with this short id is, or was last, in this
// conversation.
func (h *handler) isHere(id string) bool {
	l, err := h.store.Read(h.in.ConversationID)
	if errors.Is(err, fs.ErrNotExist) {
		l, err = h.store.Archived(h.in.ConversationID)
	}
	return err == nil && l.ShortID() == id
}

func toSend(a loop.Action) string {
	if a.Line == "" {
		return "What to do: " + a.Hint + "."
	}
	return "To go on, send: " + a.Line
}

// askInstead has the agent do what the hook cannot: it may wait for long, and
// show more.
func askInstead(id string) any {
	return hook.BeforeSubmitPromptAnswer{AdditionalContext: "This message continues a Ralph loop. Run this in the shell, and do what it prints; if it prints an error, show the user the error and its hint, and stop:\ncursor-ralph continue " + loop.Argument(id) + "\n"}
}

// isBroughtHere reports whether the loop of another conversation is in this one
// now. Another copy of our hook may bring it here at any moment.
func (h *handler) isBroughtHere(id string) bool {
	var moved *state.MovedError
	_, err := h.store.Archived(id)
	return errors.As(err, &moved) && moved.To == h.in.ConversationID && !h.hasAny(id)
}

func (h *handler) hasAny(id string) bool {
	has, err := h.store.Has(id)
	return has || err != nil
}

// continueLoop applies the event. The turn after a hand-over, whose end no stop
// hook saw, is counted now, and its changes are looked at.
func (h *handler) continueLoop(ctx context.Context, id string, event loop.Event) (loop.State, loop.Action, error) {
	g := h.engine()
	h.look(ctx, g, id, &event)
	return g.Decide(ctx, id, event)
}
