package loop

import (
	"time"
)

// An empty turn has no tool call and no changed file, and is over within
// emptyTime. So many in a row pause a loop: its agent does nothing.
const (
	emptyTime  = 5 * time.Second
	emptyTurns = 5
)

// countEmpty counts the last iteration if it was empty. A turn in which nothing
// could have shown work does not count.
func (s *State) countEmpty(e *Event, treeSeen bool) {
	h := s.History[len(s.History)-1]
	over := time.Duration(h.Seconds * float64(time.Second))
	if len(h.Tools) > 0 || len(h.Files) > 0 || h.Progress == progressMade || over >= emptyTime || !treeSeen && !s.showsWork(e) {
		s.Empty = 0
		return
	}
	s.Empty++
}

// showsWork reports whether work would be seen without git. The drivers of run see
// every tool call; one for a program that only prints sees at least words. In
// Cursor an earlier tool call proves that they are reported.
func (s *State) showsWork(e *Event) bool {
	switch {
	case s.Run.NoTools:
		return len(e.Turn.Texts) == 0
	case s.Outer():
		return true
	case s.Minimal:
		return false
	}
	for _, h := range s.History {
		if len(h.Tools) > 0 {
			return true
		}
	}
	return s.ToolCalls > 0
}

// isIdle reports whether the loop pauses because its agent does nothing.
func (s *State) isIdle() bool { return s.Empty >= emptyTurns }
