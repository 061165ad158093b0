package cli

import (
	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

// Variable is a variable of the environment that our programs read.
type Variable struct{ Name, Usage string }

// Variables returns all of them: those that have no setting, then the others.
func Variables() []Variable {
	all := []Variable{
		{"CURSOR_RALPH_DIR", "the folder for live loops and the log, instead of /tmp"},
		{"CURSOR_RALPH_STATE_DIR", "the folder for the records of loops, instead of ~/.local/state/cursor-ralph"},
		{"CURSOR_RALPH_NO_WATCHER", "if set, no watcher runs: lost follow-ups and stalled loops are not noticed, and old records stay"},
		{"CURSOR_RALPH_FOLLOWUP_WAIT", "how long a follow-up may take to reach the prompt hook before it counts as lost (default: 20s)"},
		{outer.RunVariable, "the id of the run that an agent belongs to; cursor-ralph run sets it"},
	}
	for _, s := range config.Settings() {
		all = append(all, Variable{s.Variable, s.Usage})
	}
	return all
}
