package onevent

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
		id, has = h.liveNamed(text)
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

// liveNamed returns the conversation of the live loop whose whole id was typed. What else
// the user may have typed, the agent's call of cursor-ralph finds, or says what there is.
func (h *handler) liveNamed(typed string) (id string, ok bool) {
	if loop.CheckID(typed) != nil {
		return "", false
	}
	if loop.IsShortID(typed) {
		if l, err := h.store.WithID(typed); err == nil {
			typed = l.ConversationID
		}
	}
	has, err := h.store.Has(typed)
	return typed, has && err == nil
}

// steer lets a command happen to a loop, and answers the user.
func (h *handler) steer(ctx context.Context, name, text, id string) any {
	if l, err := h.store.Read(id); err == nil && l.Outer() && name == "ralph-resume" {
		return nil // cursor-ralph resume looks whether its process is there
	}
	if file := h.notTyped(); file != "" && name == "ralph-resume" {
		return h.refuse(fmt.Sprintf(maybeTheirs, name, file))
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
	case action.Kind == loop.Refuse:
		return h.refuse(strings.TrimSpace("Not done: " + action.Why() + ". " + action.Hint))
	}
	h.logDecision(l, action)
	h.watched = name == "ralph-resume" && l.Status == loop.Running
	if l.Status == loop.PromiseAccepted {
		return h.refuse(words + " is over: the promise of the turn before the pause was accepted.")
	}
	return h.refuse(done + h.toGoOn(l))
}

// nameOf returns what the user calls a loop in this chat, and what follows a command
// about it.
func (h *handler) nameOf(id string) (words, argument string) {
	if id == h.in.ConversationID {
		return "The Ralph loop of this chat", ""
	}
	id = h.shortOf(id)
	return "The Ralph loop " + id, " " + id
}

// toGoOn says how to bring back an idle agent. One that runs may be idle too:
// this message, which it does not get, may have come in place of a follow-up.
func (h *handler) toGoOn(l loop.State) string {
	switch {
	case l.Outer():
		return ""
	case l.Status == loop.Waiting && l.IsLastTurn(h.now()):
		return " When the agent has stopped, send: " + loop.ContinueLine(l.ShortID())
	case l.Status == loop.Waiting:
		return " To go on now, send: " + loop.ContinueLine(l.ShortID())
	case l.Status == loop.Running:
		return " If the agent is idle, send: " + loop.ContinueLine(l.ShortID())
	}
	return ""
}

func controlEvent(name, text, words, argument string) (event loop.Event, done string) {
	switch name {
	case "cancel-ralph":
		return loop.Event{Kind: loop.EventCancel, By: loop.ByPrompt}, words + " is cancelled."
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
	word := string(l.Status)
	switch {
	case l.IsPausing():
		word = "pausing"
	case l.Status == loop.Waiting && l.IsLastTurn(h.now()):
		word = string(loop.Running)
	}
	return h.refuse(loop.Chip(word, l.Iteration(), l.MaxIterations) + l.TaskCount.Chip() + ". More: cursor-ralph status " + l.ShortID() + "." + h.toGoOn(l))
}
