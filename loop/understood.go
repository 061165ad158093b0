package loop

import (
	"fmt"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Understood says in one line how the user's line was understood: the task, the limits and
// the gates. fits is a command that verifies the work in this project, empty if none is known.
func (s *State) Understood(fits string) string {
	limit := text.Count(s.MaxIterations, "iteration")
	if s.MaxDuration > 0 {
		limit += ", " + text.Exactly(time.Duration(s.MaxDuration))
	}
	if s.MaxTokens > 0 {
		limit += fmt.Sprintf(", %d tokens", s.MaxTokens)
	}
	if s.FreshChat > 0 {
		limit += ", " + s.whoBeginsChats()
	}
	var gates []string
	for _, gate := range []struct{ option, value string }{{"verify", s.Verify}, {"tasks", s.Tasks}, {"review", s.Review}} {
		if gate.value != "" {
			gates = append(gates, "--"+gate.option+" "+text.Quote(text.Limit(gate.value, 500)))
		}
	}
	ends := "gates: " + strings.Join(gates, ", ")
	if len(gates) == 0 {
		ends = "no gate: the promise alone ends it"
		if fits != "" {
			ends += "; --verify " + text.Quote(fits) + " fits this project"
		}
	}
	return Unmarked(fmt.Sprintf("task %s; at most %s; %s", text.Quote(text.Limit(text.Line(s.Prompt), 200)), limit, ends))
}

// whoBeginsChats says after how many iterations a new chat begins, and what that needs.
func (s *State) whoBeginsChats() string {
	words := "a new chat after every " + text.Count(s.FreshChat, "iteration")
	if s.Host != "" || s.Outer() {
		return words
	}
	return words + " (by the editor's extension; without it you open them)"
}
