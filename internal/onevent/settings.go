package onevent

import (
	"fmt"
	"runtime"
	"strconv"

	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// settings are the user's, as far as an event needs them.
type settings struct {
	defaults     []loop.Default // of a new loop
	sessionLimit int            // follow-ups in a row, or noLimit; 0 for what this Cursor allows
	problem      string         // why they cannot be used
}

// noLimit is the session limit of a user who has none.
const noLimit = -1

// user returns the user's settings. It reads the file once, and is called only for an event that starts a loop or decides about one.
func (h *handler) user() settings {
	if h.settings != nil {
		return *h.settings
	}
	c, err := config.Load(config.Source{Path: platform.ConfigFile(runtime.GOOS, h.getenv)})
	h.settings = &settings{defaults: c.Loop()}
	if err != nil {
		h.settings.problem = err.Error()
		h.fail(fmt.Errorf("your settings cannot be used: %w", err))
	}
	switch limit := c.Get("hook.session-limit").Text; limit {
	case "none":
		h.settings.sessionLimit = noLimit
	default:
		h.settings.sessionLimit, _ = strconv.Atoi(limit) // 0 for auto
	}
	return *h.settings
}
