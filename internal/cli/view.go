package cli

import (
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// View returns a loop as every listing and --json shows it. It is interrupted if only
// the archive has it.
func (e *Env) View(l loop.State, interrupted bool) view.Loop {
	gone := l.Outer() && !l.Status.Ended() && !e.Lives(l)
	return view.Of(l, view.Facts{Now: e.Now(), Interrupted: interrupted, Gone: gone})
}
