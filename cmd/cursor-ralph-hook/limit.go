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
// To be run at all with a loop_count of the limit shows that there is none.
func (h *handler) sessionLimit(loopCount int) int {
	if h.flags.sessionLimit != auto {
		return h.flags.sessionLimit
	}
	if loopCount >= hook.DefaultLoopLimit {
		h.saw(0)
		return 0
	}
	seen, err := h.store.SeenLimits()
	if err != nil {
		h.fail(err)
	}
	if l, ok := seen[h.in.CursorVersion]; ok {
		return l.Limit
	}
	if hook.HonoursNullLimit(h.in.CursorVersion) {
		return 0
	}
	return hook.DefaultLoopLimit
}

// seeLimit looks whether a user's message, which a loop has taken note of,
// shows that this Cursor has its limit after all.
func (h *handler) seeLimit(id string, l loop.State, text string) {
	if h.flags.sessionLimit != auto || l.IsOwn(text) || l.LastStop.LoopCount != hook.DefaultLoopLimit-1 {
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
