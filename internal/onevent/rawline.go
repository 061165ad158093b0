package onevent

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// continueByLine does what cursor-ralph continue does, for a line that the agent
// may get as it is: pasted. The agent is given the
// continuation as additional_context. If Cursor ignores that, the stop of this
// turn brings it; if Cursor expands the line as a slash command, the agent's own
// call confirms this and prints the same text.
func (h *handler) continueByLine(ctx context.Context, r loop.Request) any {
	id, here := r.Continue, h.in.ConversationID
	if h.isBroughtHere(id) {
		id = here
	}
	if !h.hasAny(id) {
		if answer := h.wentOn(id); answer != nil {
			return answer
		}
		if !h.store.HasHad(id) {
			if h.hasAny(here) {
				h.message(ctx, here, loop.ContinueLine(id))
			}
			return h.askInstead(id) // which finds it by its beginning, or lists the loops that there are
		}
	}
	event := loop.Event{Kind: loop.EventContinue, Generation: h.in.GenerationID, Program: h.calledByAgent(), Continue: r.Limits(), Host: h.hostTitle()}
	if h.host != nil && h.notTyped() != "" { // it may do no more than the agent's own call
		event.By = loop.ByAgent
	}
	event.FromLine, event.Conversation, event.NewChat = true, here, id != here && h.isNewChat()
	l, action, err := h.continueLoop(ctx, id, event)
	if errors.Is(err, fs.ErrNotExist) && id != here && h.isBroughtHere(id) {
		id = here
		l, action, err = h.continueLoop(ctx, id, event)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return h.askInstead(id) // it lists the loops that there are
	case err != nil:
		h.fail(err)
		return h.askInstead(id)
	}
	h.logDecision(l, action)
	if action.Kind == loop.Refuse {
		return h.refuse("Not sent: " + action.Why() + whatToDo(action) + ".")
	}
	if l.ConversationID == here {
		h.failUnlessGone(h.store.AddToJournal(here, loop.Record{Kind: loop.RecordPrompt, At: h.now(), Generation: h.in.GenerationID, ByLine: true}))
	}
	if action.Kind == loop.AskVerify {
		return h.askInstead(id)
	}
	h.watched = action.Kind == loop.Followup
	if id != here {
		h.log(hooklog.Line{Loop: l.ShortID(), Iteration: l.Iteration(), Max: l.MaxIterations, Action: "moved"})
	}
	return h.adding(l, action.Text)
}

// adding gives the agent a text about its loop beside the message.
func (h *handler) adding(l loop.State, text string) hook.BeforeSubmitPromptAnswer {
	if h.host != nil {
		text = l.Within(h.host.NameMarker(text), h.host.Context, h.host.Size)
	} else {
		text = l.Within(text, longestContext, func(s string) int { return len(s) })
	}
	return hook.BeforeSubmitPromptAnswer{AdditionalContext: text}
}

// longestContext is how much additional_context may have: Cursor is reported to drop a longer one, of 10,000 characters, whole.
const longestContext = 10_000

// whole returns the short id of a loop that is named by the beginning of an id; else what was
// typed.
func (h *handler) whole(typed string) string {
	if h.hasAny(typed) || h.store.HasHad(typed) || h.box.Has(typed) {
		return typed
	}
	if l, err := loops.New(h.places, h.now).Resolve(typed); err == nil {
		return l.State.ShortID()
	}
	return typed
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
	if last, _ := h.last(l.ConversationID); last.ShortID() != id { // an older one of its chat
		return id
	}
	if err != nil || l.StartedAt.IsZero() || l.Delivery.OpenedAt.IsZero() && h.now().Sub(l.StartedAt).Abs() < justBegun { // it was sent in two chats at once
		return id
	}
	return l.ConversationID
}

// justBegun is how long after its beginning a loop's first line, in another chat, is the same that began it.
const justBegun = 5 * time.Second

// isHere reports whether the loop with this short id is, or was last, in this
// conversation.
func (h *handler) isHere(id string) bool {
	l, err := h.last(h.in.ConversationID)
	return err == nil && l.ShortID() == id
}

// shortOf returns the short id of a conversation's loop, to name it to people.
func (h *handler) shortOf(id string) string {
	l, err := h.last(id)
	if err != nil {
		return loop.Argument(id)
	}
	return l.ShortID()
}

// last returns the loop that a conversation has, or had last.
func (h *handler) last(conversation string) (loop.State, error) {
	l, err := h.store.Read(conversation)
	if errors.Is(err, fs.ErrNotExist) {
		l, err = h.store.Recorded(conversation)
	}
	return l, err
}

func whatToDo(a loop.Action) string {
	if a.Line == "" {
		return "; " + a.Hint
	}
	return ". To go on, send: " + a.Line
}

// askInstead has the agent do what the hook cannot: it may wait for long, and
// show more.
func (h *handler) askInstead(id string) any {
	return hook.BeforeSubmitPromptAnswer{AdditionalContext: "This message continues a Ralph loop. Run this in the shell, and do what it prints; if it prints an error, show the user the error and its hint, and stop:\n" + cmp.Or(h.calledByAgent(), "cursor-ralph") + " resume " + h.shortOf(id) + "\n"}
}

// isBroughtHere reports whether the loop of another conversation is in this one
// now. The agent's call may bring it here at any moment.
func (h *handler) isBroughtHere(id string) bool {
	l, err := h.store.Read(h.in.ConversationID)
	return err == nil && l.CameFrom == id && !h.hasAny(id)
}

func (h *handler) hasAny(id string) bool {
	has, err := h.store.Has(id)
	return has || err != nil
}

// continueLoop applies the event. The turn after a hand-over, whose end no stop
// hook saw, is counted now, and its changes are looked at.
func (h *handler) continueLoop(ctx context.Context, id string, event loop.Event) (loop.State, loop.Action, error) {
	g := h.engine()
	h.observe(ctx, g, id, &event)
	return g.Decide(ctx, id, event)
}
