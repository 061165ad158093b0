package onevent

import (
	"context"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/selfcall"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
)

// hasLoop reports whether the conversation has a live loop, after it claimed one
// that waits for it. At a stop, that is the event; otherwise nil.
func (h *handler) hasLoop(ctx context.Context, stop *loop.Event) bool {
	has, err := h.store.Has(h.in.ConversationID)
	if err != nil {
		h.fail(err)
		return false
	}
	return has || h.claim(ctx, stop)
}

// restore goes on with this conversation's loop if its live file is gone, unless
// another one was requested here.
func (h *handler) restore(ctx context.Context) {
	id := h.in.ConversationID
	if !h.store.HasEntered(id) || h.store.HasFile(id) || h.box.Has(id) {
		return
	}
	restored, err := h.store.Restore(ctx, h.in.ConversationID)
	h.failIf(err)
	if restored {
		h.watched = true
		h.log(hooklog.Line{Action: "restored"})
	}
}

// hasLost reports whether the live file of this conversation's loop is gone in the middle of
// a turn, and is there again now: what the agent does and says from here on counts.
func (h *handler) hasLost(ctx context.Context) bool {
	h.restore(ctx)
	has, err := h.store.Has(h.in.ConversationID)
	return has && err == nil
}

// claim makes a loop that waits for the conversation live, and reports whether
// there is a live one now.
func (h *handler) claim(ctx context.Context, stop *loop.Event) bool {
	who := h.claimant(stop != nil && stop.Status == loop.Completed)
	if !h.box.Waiting(who) {
		return h.claimedMeanwhile()
	}
	c, err := h.box.Claim(ctx, who)
	h.noteClaim(c)
	h.failUnlessGone(err)
	return err == nil
}

// claimedMeanwhile looks for a live loop once more when no file waits: the hook of
// an event at the same time may have renamed the file since the first look.
func (h *handler) claimedMeanwhile() bool {
	has, err := h.store.Has(h.in.ConversationID)
	return has && err == nil
}

func (h *handler) claimant(stopped bool) pending.Claimant {
	return pending.Claimant{ID: h.in.ConversationID, Workspaces: h.in.WorkspaceRoots, Stopped: stopped}
}

func (h *handler) noteClaim(c pending.Claimed) {
	h.failIf(c.Warning)
	if c.New {
		h.watched = true
		h.log(hooklog.Line{Loop: c.Loop.ShortID(), Iteration: c.Loop.Iteration(), Max: c.Loop.MaxIterations, Action: "claimed"})
	}
}

// workspace is the folder that the conversation's window has open, the first
// one of several.
func (h *handler) workspace() string {
	if len(h.in.WorkspaceRoots) == 0 {
		return ""
	}
	return h.in.WorkspaceRoots[0]
}

// bind brings the loop that a printed token names, and was asked for with it, to this conversation.
func (h *handler) bind(ctx context.Context, command, output string) {
	if token := pending.FindToken(output); pending.IsToken(token) && slices.Contains(selfcall.AnyCalls(command), "slash") {
		h.bindPending(ctx, token)
	}
}

func (h *handler) bindPending(ctx context.Context, token string) {
	b, err := h.box.Bind(ctx, token, h.claimant(false))
	h.failIf(err)
	switch b.Result {
	case pending.BindDone, pending.BindRefused:
		h.log(hooklog.Line{Action: string(b.Result)})
	case pending.BindReplaced:
		h.logDecision(b.Ended, b.Action)
	}
	h.noteClaim(b.Claimed)
}
