package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/cursor-ralph/cursor-ralph/hook"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// sessionLimit is how many stops in a row this Cursor lets us answer. Without a
// setting it goes by what was seen of this version, else by what is known of it.
// To be run at all with a loop_count of the limit shows that there is none,
// unless hooks.json has another.
func (h *handler) sessionLimit(loopCount int) int {
	limit := h.flags.sessionLimit
	lifted := limit == auto || limit == 0
	if lifted && loopCount >= hook.DefaultLoopLimit {
		h.saw(0)
		return 0
	}
	if limit != auto {
		return limit
	}
	seen, err := h.store.SeenLimits()
	if err != nil {
		h.fail(err)
	}
	if l, ok := seen[h.in.CursorVersion]; ok {
		return l.Limit
	}
	// A minimal installation has no hook that would see it if the limit is real.
	if hook.HonoursNullLimit(h.in.CursorVersion) && !h.flags.minimal {
		return 0
	}
	return hook.DefaultLoopLimit
}

// seeLimit looks whether a user's message, which a loop has taken note of,
// shows that this Cursor has its limit after all. The flags are those of the
// stop entry alone, and not needed: with a limit of five the fifth stop would
// have handed over. In another chat a message shows nothing: the loop's agent
// may be at work.
func (h *handler) seeLimit(id string, l loop.State, text string) {
	if id != h.in.ConversationID || l.IsOwn(text) || l.LastStop.LoopCount != hook.DefaultLoopLimit-1 {
		return
	}
	turn, err := h.store.Unfolded(id, l)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		h.fail(err)
	case l.PastLimit(hook.DefaultLoopLimit, turn):
		h.saw(hook.DefaultLoopLimit)
	}
}

// saw remembers a limit for this version of Cursor, 0 for none.
func (h *handler) saw(limit int) {
	changed, err := h.store.SeeLimit(h.in.CursorVersion, limit)
	if err != nil {
		h.fail(err)
	}
	if changed {
		h.log(hooklog.Line{Action: "session-limit-seen", Why: fmt.Sprintf("%d (0 is none), of Cursor %.64s", limit, h.in.CursorVersion)})
	}
}

// seeAbort remembers that this Cursor reports the user's Stop as such.
func (h *handler) seeAbort() {
	if err := h.store.SeeAbort(h.in.CursorVersion); err != nil {
		h.fail(err)
	}
}

// aborts tells of a failed turn whether it can be trusted to be none that the
// user stopped.
func (h *handler) aborts(status loop.StopStatus) bool {
	if status != loop.Errored {
		return false
	}
	aborts, err := h.store.Aborts(h.in.CursorVersion)
	if err != nil {
		h.fail(err)
	}
	return aborts
}
