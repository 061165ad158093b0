package loop

import (
	"fmt"
	"strings"
	"time"
)

// SameTask reports whether two loops have the same task. White space does not
// count: the agent may have changed it.
func (s *State) SameTask(other State) bool {
	return strings.Join(strings.Fields(s.Prompt), " ") == strings.Join(strings.Fields(other.Prompt), " ")
}

// LacksGateOf reports whether a request asks for a gate that the loop does not have.
func (s *State) LacksGateOf(r Request) bool {
	return r.State.Verify != "" && s.Verify == "" || r.State.Tasks != "" && s.Tasks == "" || r.State.Review != "" && s.Review == ""
}

// Chip is a loop in a few words, for a status bar. word says how it stands.
func Chip(word string, iteration, limit int) string {
	return fmt.Sprintf("Loop • %s • Iter %d/%d", Status(word).Word(), iteration, limit)
}

// Iteration returns the number of the iteration that is in progress, or in which the
// loop ended; 0 if no chat has taken it.
func (s *State) Iteration() int {
	switch s.Status {
	case UserStopped, Cancelled, Blocked, Replaced: // before the turn was counted
		if s.StartedAt.IsZero() {
			return s.Iterations
		}
		fallthrough
	case Running, Waiting, Paused:
		return min(s.Iterations+1, s.MaxIterations)
	}
	return s.Iterations
}

// IsLastTurn reports whether the agent is at work on the last turn that Cursor lets the
// loop chain, of which no stop hook sees the end: only silence shows that it is over.
func (s *State) IsLastTurn(now time.Time) bool {
	return s.LastTurn && (s.Status == Waiting || s.Status == Paused) && now.Sub(s.EventAt).Abs() < quiet
}

// IsPausing reports whether the user requested a pause while the agent works: it takes
// effect at the next stop.
func (s *State) IsPausing() bool {
	return s.Status == Paused && s.PauseReason == PauseUser && !s.Idle && !s.StartedAt.IsZero()
}

// Word is the status as people read it.
func (s Status) Word() string {
	letter := func(r rune) bool {
		return strings.ContainsRune("_ ()", r) || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if s == "" || strings.ContainsFunc(string(s), func(r rune) bool { return !letter(r) }) {
		return "Unknown" // a status bar would obey some signs
	}
	words := strings.ToLower(strings.ReplaceAll(string(s), "_", " "))
	return strings.ToUpper(words[:1]) + words[1:]
}

// Unmarked is text for a display. No promise can be read in it, so an agent that
// repeats it has promised nothing.
func Unmarked(text string) string {
	var b strings.Builder
	from := 0
	for i := range len(text) {
		if text[i] != '<' || i < from {
			continue
		}
		for _, tag := range []string{openTag, closeTag} {
			if end := anyCaseEnd(text, i, tag); end >= 0 {
				b.WriteString(text[from:i] + "‹" + strings.Trim(tag, "<>") + "›")
				from = end
			}
		}
	}
	return b.String() + text[from:]
}
