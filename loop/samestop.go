package loop

import (
	"time"
)

// duplicateWindow is how close two reports of one stop are, when our hook is
// installed in two places: Cursor runs all hooks of an event at once.
const duplicateWindow = time.Second

// busyWindow is how far apart they may begin on a busy machine, if nothing happened
// since the first.
const busyWindow = 10 * time.Second

// SawStop reports whether a stop event was decided a moment ago: if our hook is
// installed in two places, Cursor runs it twice.
func (s *State) SawStop(e *Event, now time.Time) bool {
	return s.hasStopWithin(duplicateWindow, e, now)
}

// hasBusyStop is SawStop on a machine so busy that the two copies begin seconds
// apart. Then the generation and the count must match, with no sign of the agent
// since.
func (s *State) hasBusyStop(e *Event, now time.Time) bool {
	silent := !e.Minimal && !e.Turn.isActive() && !e.Turn.Followed && !e.Turn.Prompted
	return silent && e.Generation != "" && s.hasStopWithin(busyWindow, e, now)
}

func (s *State) hasStopWithin(window time.Duration, e *Event, now time.Time) bool {
	last := s.LastStop
	if e.Generation == s.ConversationID && e.Turn.hasCalls() {
		return false // all turns have one generation, and another was at work since
	}
	return !last.At.IsZero() && last.Generation == e.Generation && last.LoopCount == e.LoopCount &&
		last.Status == e.Status && e.began(now).Sub(last.At).Abs() < window
}
