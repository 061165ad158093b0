package loop

import (
	"fmt"
	"strings"
)

// SameTask reports whether two loops have the same task. White space does not
// count: the agent may have changed it.
func (s *State) SameTask(other State) bool {
	return strings.Join(strings.Fields(s.Prompt), " ") == strings.Join(strings.Fields(other.Prompt), " ")
}

// Chip is a loop in a few words, for a status bar. word says how it stands.
func Chip(word string, iteration, limit int) string {
	return fmt.Sprintf("Loop • %s • Iter %d/%d", Status(word).Word(), iteration, limit)
}

// Iteration returns the number of the iteration that is being worked on. If the loop
// has ended or no chat has taken it, it returns how many iterations the loop did.
func (s *State) Iteration() int {
	switch s.Status {
	case Running, Waiting, Paused:
		return min(s.Iterations+1, s.MaxIterations)
	}
	return s.Iterations
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
			if end := foldedEnd(text, i, tag); end >= 0 {
				b.WriteString(text[from:i] + "‹" + strings.Trim(tag, "<>") + "›")
				from = end
			}
		}
	}
	return b.String() + text[from:]
}
