package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// control obeys a command about a loop without a model turn: about that of this
// conversation, or about the one that it names. Where there is nothing to obey
// the message goes on to the agent, whose call of cursor-ralph looks further.
func (h *handler) control(ctx context.Context, name, text string, has bool) any {
	id := h.in.ConversationID
	if name != "ralph-context" && text != "" { // all that follows /ralph-context is for the agent
		named, why := h.findNamed(text)
		if why != "" {
			return h.refuse(why + " Nothing was done; `cursor-ralph list` shows the ids.")
		}
		id, has = named, named != ""
	}
	switch {
	case !has:
		return nil
	case name == "ralph-status":
		return h.status(id)
	case name == "ralph-context" && text == "":
		return h.refuse("Write what the agent should know after /ralph-context.")
	}
	return h.steer(ctx, name, text, id)
}

// findNamed returns the conversation of the live loop whose id was typed, whole or its
// beginning, and none where only cursor-ralph knows the loop: one that is pending or has
// ended.
func (h *handler) findNamed(typed string) (id, why string) {
	if loop.CheckID(typed) != nil {
		return "", fmt.Sprintf("%.80q is not the id of a loop.", typed)
	}
	if has, err := h.store.Has(typed); has || err != nil {
		return typed, ""
	}
	found := h.store.LiveBeginning(typed)
	switch {
	case len(found) == 1:
		return found[0], ""
	case len(found) > 1:
		return "", fmt.Sprintf("%s fits %d loops.", typed, len(found))
	case h.box.Has(typed) || h.store.HasRecord(typed) || loop.IsShortID(typed):
		return "", ""
	}
	return "", "There is no loop " + typed + "."
}

// steer lets a command happen to a loop, and answers the user.
func (h *handler) steer(ctx context.Context, name, text, id string) any {
	if l, err := h.store.Read(id); err == nil && l.Outer() && name == "ralph-resume" {
		return nil // cursor-ralph resume looks whether its process is there
	}
	words, argument := h.nameOf(id)
	event, done := controlEvent(name, text, words, argument)
	l, action, err := h.store.Apply(ctx, id, event)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		h.fail(err)
		return h.refuse("This did not work: " + err.Error())
	case action.Kind == loop.Refuse && (name != "ralph-resume" || l.Status == loop.Paused): // another copy of our hook may have resumed it
		return h.refuse(strings.TrimSpace("Not done: " + action.Why() + ". " + action.Hint))
	}
	h.logDecision(l, action)
	h.watched = name == "ralph-resume" && l.Status == loop.Running
	return h.refuse(done + toGoOn(l))
}

// nameOf returns what the user calls a loop in this chat, and what follows a command
// about it.
func (h *handler) nameOf(id string) (words, argument string) {
	if id == h.in.ConversationID {
		return "The Ralph loop of this chat", ""
	}
	return "The Ralph loop " + id, " " + id
}

// toGoOn says how to bring back an idle agent. One that runs may be idle too:
// this message, which it does not get, may have come in place of a follow-up.
func toGoOn(l loop.State) string {
	switch {
	case l.Outer():
		return ""
	case l.Status == loop.Waiting:
		return " To go on now, send: " + loop.ContinueLine(l.ConversationID)
	case l.Status == loop.Running:
		return " If the agent is idle, send: " + loop.ContinueLine(l.ConversationID)
	}
	return ""
}

func controlEvent(name, text, words, argument string) (event loop.Event, done string) {
	switch name {
	case "cancel-ralph":
		return loop.Event{Kind: loop.EventCancel, Cancel: loop.Cancel{By: loop.ByPrompt}}, words + " is cancelled."
	case "ralph-pause":
		return loop.Event{Kind: loop.EventPause}, words + " pauses at the next stop. /ralph-resume" + argument + " sets it going again."
	case "ralph-resume":
		return loop.Event{Kind: loop.EventResume}, words + " is resumed: it goes on at the next stop."
	}
	return loop.Event{Kind: loop.EventContext, Text: text}, "The agent gets this with the next continuation."
}

func (h *handler) status(id string) any {
	l, err := h.store.Read(id)
	if err != nil {
		h.fail(err)
		return nil
	}
	return h.refuse(loop.Chip(string(l.Status), l.Iteration(), l.MaxIterations) + l.TaskCount.Chip() + ". More: cursor-ralph status " + loop.Argument(id) + "." + toGoOn(l))
}
