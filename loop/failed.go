package loop

import (
	"cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// onFailed is a turn that ended with an error. It pauses the loop and does not count.
func (s *State) onFailed(e *Event) Action {
	why := "the turn failed: " + cmp.Or(s.Host, "Cursor") + " reported " + string(e.Status)
	if s.Outer() {
		why = "the turn failed: " + text.FirstHead(cmp.Or(e.Text, string(e.Status)), keptErrors)
	}
	s.Idle = true
	s.pause(pauseError, why)
	return Action{Reason: reasonTurnFailed, Detail: why}
}
