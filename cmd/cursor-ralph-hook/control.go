package main

import (
	"context"
	"errors"
	"io/fs"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// control obeys a command about the loop of this conversation without a model
// turn. Where the conversation has no loop the message goes on to the agent,
// whose call of cursor-ralph looks further.
func (h *handler) control(ctx context.Context, name, text string, has bool) any {
	if !has {
		return nil
	}
	id := h.in.ConversationID
	if name == "ralph-status" {
		return h.status(id)
	}
	event, done := controlEvent(name, text, id)
	if name == "ralph-context" && text == "" {
		return h.refuse("Write what the agent should know after /ralph-context.")
	}
	l, action, err := h.store.Apply(ctx, id, event)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		h.fail(err)
		return h.refuse("This did not work: " + err.Error())
	case action.Kind == loop.Refuse && name != "ralph-resume": // another copy of our hook may have resumed it
		return h.refuse("Not done: " + action.Why + ".")
	}
	h.decided(l, action)
	return h.refuse(done + toGoOn(l))
}

// toGoOn says how to bring back an idle agent. One that runs may be idle too:
// this message, which it does not get, may have come in place of a follow-up.
func toGoOn(l loop.State) string {
	switch l.Status {
	case loop.Waiting:
		return " To go on now, send: " + loop.ContinueLine(l.ConversationID)
	case loop.Running:
		return " If the agent is idle, send: " + loop.ContinueLine(l.ConversationID)
	}
	return ""
}

func controlEvent(name, text, id string) (event loop.Event, done string) {
	switch name {
	case "cancel-ralph":
		return loop.Event{Kind: loop.EventCancel}, "The Ralph loop of this chat is cancelled."
	case "ralph-pause":
		return loop.Event{Kind: loop.EventPause}, "The Ralph loop of this chat pauses at the next stop. /ralph-resume sets it going again."
	case "ralph-resume":
		return loop.Event{Kind: loop.EventResume}, "The Ralph loop of this chat is resumed: it goes on at the next stop."
	}
	return loop.Event{Kind: loop.EventContext, Text: text}, "The agent gets this with the next continuation."
}

func (h *handler) status(id string) any {
	l, err := h.store.Read(id)
	if err != nil {
		h.fail(err)
		return nil
	}
	return h.refuse(l.Line(h.now()) + ". More: cursor-ralph status " + id + "." + toGoOn(l))
}
