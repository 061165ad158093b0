package loop

import (
	"fmt"
	"strings"
	"time"
)

// SameTask tells whether two loops have the same task. White space does not
// count: it may have changed on the way through the agent.
func (s State) SameTask(other State) bool {
	return strings.Join(strings.Fields(s.Prompt), " ") == strings.Join(strings.Fields(other.Prompt), " ")
}

// Line is the loop in a few words, for a status bar.
func (s State) Line(now time.Time) string {
	word := s.Status.Word()
	switch {
	case s.Stale(now):
		word = "Stale"
	case s.Verifying.Open(s, now):
		word = "Verifying"
	}
	return fmt.Sprintf("Loop • %s • Iter %d/%d", word, s.Iterations, s.MaxIterations)
}

// Word is the status as people read it.
func (s Status) Word() string {
	letter := func(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	if s == "" || strings.ContainsFunc(string(s), func(r rune) bool { return !letter(r) }) {
		return "Unknown" // a status bar would obey some signs
	}
	words := strings.ToLower(strings.ReplaceAll(string(s), "_", " "))
	return strings.ToUpper(words[:1]) + words[1:]
}
