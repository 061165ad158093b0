package cli

import "github.com/cursor-ralph/cursor-ralph/internal/outer"

// Variable is a variable of the environment that our programs read.
type Variable struct{ Name, Usage string }

// Variables returns those for users, then our own.
func Variables() []Variable {
	return []Variable{
		{"CURSOR_RALPH_DIR", "the folder for live loops and the log, instead of /tmp"},
		{"CURSOR_RALPH_STATE_DIR", "the folder for the records of loops, instead of ~/.local/state/cursor-ralph"},
		{"CURSOR_RALPH_EDITOR_EXE", "more names of the editor's program, separated by commas"},
		{"CURSOR_RALPH_NO_NOTIFY", "if set, no notices are sent"},
		{"CURSOR_RALPH_NO_WATCHER", "if set, nothing is started that outlives a hook or command; for tests"},
		{outer.RunVariable, "the id of the run that an agent belongs to; cursor-ralph run sets it"},
	}
}
