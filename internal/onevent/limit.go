package onevent

import "github.com/cursor-ralph/cursor-ralph/hook"

// sessionLimit is how many stops in a row this Cursor lets us answer, 0 for no limit: the
// user's setting, or what is known of the version.
func (h *handler) sessionLimit() int {
	switch limit := h.user().sessionLimit; {
	case limit == noLimit, limit == 0 && hook.HonorsNullLimit(h.in.CursorVersion):
		return 0
	case limit > 0:
		return limit
	}
	return hook.DefaultLoopLimit
}
