package onevent

import (
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// sessionLimit is how many stops in a row this Cursor lets us answer, 0 for no limit. Without a
// setting it is what was observed of this version, else what is known of it. A hook
// that is run with a loop_count of Cursor's limit is proof that this Cursor has no limit.
func (h *handler) sessionLimit(loopCount int) int {
	seenNone := loopCount >= hook.DefaultLoopLimit
	if seenNone {
		changed, err := h.store.ProveNoLimit(h.in.CursorVersion)
		h.logObserved(changed, err, "session-limit-seen", "has no follow-up limit")
	}
	switch limit := h.settings.SessionLimit; {
	case limit > 0:
		return limit
	case seenNone || limit == NoLimit:
		return 0
	}
	seen, err := h.store.SeenLimits()
	h.failIf(err)
	if l, ok := seen[h.in.CursorVersion]; ok {
		return l.Limit
	}
	if hook.HonorsNullLimit(h.in.CursorVersion) {
		return 0
	}
	return hook.DefaultLoopLimit
}

// seeLimit looks whether a user's message suggests that this Cursor has its limit
// after all: with a limit of five the fifth stop would have handed over. A message
// in another chat shows nothing: the loop's agent may be at work.
func (h *handler) seeLimit(id string, l loop.State, text string) {
	if id != h.in.ConversationID || l.IsOwn(text) || l.LastStop.LoopCount != hook.DefaultLoopLimit-1 {
		return
	}
	turn, err := h.store.Turn(id, l, loop.Event{Kind: loop.EventStop})
	switch {
	case err != nil:
		h.fail(err)
	case l.PastLimit(hook.DefaultLoopLimit, turn):
		session := fmt.Sprint(id, "@", l.LastStop.At.UnixNano())
		changed, err := h.store.SuspectLimit(h.in.CursorVersion, hook.DefaultLoopLimit, session)
		h.logObserved(changed, err, "session-limit-seen", fmt.Sprintf("seems to stop after %d follow-ups", hook.DefaultLoopLimit))
	}
}

// logObserved logs what hooks go by from now on.
func (h *handler) logObserved(changed bool, err error, action, what string) {
	h.failIf(err)
	if changed {
		h.log(hooklog.Line{Action: action, Why: strings.TrimSpace(fmt.Sprintf("Cursor %.64s %s", h.in.CursorVersion, what))})
	}
}

// seeDelivery learns from what became of a follow-up whether this Cursor shows
// them to the prompt hook.
func (h *handler) seeDelivery(d loop.Outcome) {
	switch d {
	case loop.FollowupShown:
		changed, err := h.store.SeeFollowups(h.in.CursorVersion, true)
		h.logObserved(changed, err, "followups-shown", "")
	case loop.FollowupUnshown:
		changed, err := h.store.SeeFollowups(h.in.CursorVersion, false)
		h.logObserved(changed, err, "followups-unshown", "")
	}
}
