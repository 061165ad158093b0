package onevent

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// byLoopMode makes a loop of an ordinary message in a conversation that has
// none, where the user has loop mode on, and tells the agent so. The follow-up
// of somebody else's stop hook looks like such a message, and is taken for one.
func (h *handler) byLoopMode(ctx context.Context, e hook.BeforeSubmitPrompt) any {
	if !loop.Ordinary(e.Prompt) || strings.EqualFold(e.ComposerMode, "ask") {
		return nil
	}
	mode, on := h.loopMode()
	if !on {
		return nil
	}
	l := mode.Loop.InLoopMode(e.Prompt, h.in.GenerationID)
	l.ConversationID, l.Workspace = h.in.ConversationID, mode.Workspace
	if h.host != nil {
		l.Program, l.Host, l.Due.Known = h.calledInHost(), h.host.Title, true
	}
	l.PlanMode = h.composer == loop.PlanComposer
	l = l.In(l.ConversationID, h.now()) // the agent's text names it
	l = h.withBaseline(ctx, l)
	started, err := h.startNow(ctx, l)
	if err != nil {
		h.fail(err)
		return nil
	}
	if !started {
		return nil
	}
	return h.adding(l, l.ContractText("", ""))
}

// loopMode returns that of the first folder of the window that has it on. The
// folder is as the editor names it.
func (h *handler) loopMode() (state.Mode, bool) {
	for _, root := range h.in.WorkspaceRoots {
		mode, err := h.store.Mode(root)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			h.fail(err)
		case mode.On(h.now()):
			mode.Workspace = root
			return mode, true
		}
	}
	return state.Mode{}, false
}

func (h *handler) inLoopMode() bool {
	_, on := h.loopMode()
	return on
}

// isAboutEnded reports whether a message belongs to the loop that has just ended in the
// conversation, as the first one after a cancel does.
func (h *handler) isAboutEnded(ctx context.Context, text string) bool {
	var action loop.Action
	ended, err := h.store.JustEnded(h.in.ConversationID) // not a live one that could not be looked at before
	if err == nil {
		event := loop.Event{Kind: loop.EventMessage, LoopID: ended.ID, Text: text, Generation: h.in.GenerationID}
		_, action, err = h.store.Apply(ctx, h.in.ConversationID, event)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // there was none
		return false
	case err != nil:
		h.fail(err)
		return true
	case action.Reason == "":
		return false
	}
	h.log(hooklog.Line{Action: "rest", Reason: action.Reason, Why: action.Why()})
	return true
}

// startNow starts a loop at once, unless the conversation has one now. After a kill
// the loop is pending under the conversation's name.
func (h *handler) startNow(ctx context.Context, l loop.State) (started bool, err error) {
	started, err = h.ask(ctx, l, "loop-mode", func(running *loop.State) (bool, error) { return running == nil, nil })
	if err != nil || !started {
		return false, err
	}
	h.claim(ctx, nil)
	return true, nil
}
