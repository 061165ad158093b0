package run

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// cursorAgent is Cursor's CLI. Its installer links it into a folder of the PATH
// by this name and by a shorter one. Source:
// https://cursor.com/docs/cli/installation and reports.
const (
	cursorAgent      = "cursor-agent"
	cursorAgentShort = "agent"
)

// cursorCLI returns the program of Cursor's CLI, and what to tell the user if
// it is not there. Many programs are called agent, and to start one might do
// anything, so one counts only if it lies where Cursor's CLI is installed.
func cursorCLI(look func(string) (string, error)) (program, problem string) {
	if _, err := look(cursorAgent); err == nil {
		return cursorAgent, ""
	}
	path, err := look(cursorAgentShort)
	if err != nil {
		return cursorAgent, ""
	}
	if isCursorCLI(path) {
		return path, ""
	}
	return cursorAgent, fmt.Sprintf("%s is another program, or does not lie where Cursor's CLI is installed; if it is that, give --acp-command '%s acp'", path, path)
}

// isCursorCLI looks at where a path leads: …/cursor-agent/versions/VERSION/…, a
// folder cursor-agent, or a file of that name.
func isCursorCLI(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	parts := strings.Split(filepath.ToSlash(real), "/")
	slices.Reverse(parts)
	file := strings.TrimSuffix(parts[0], filepath.Ext(parts[0]))
	at := func(n int, name string) bool { return n < len(parts) && strings.EqualFold(parts[n], name) }
	return strings.EqualFold(file, cursorAgent) || at(1, cursorAgent) || at(2, "versions") && at(3, cursorAgent)
}

// ofCursorCLI replaces the program of a preset by the name that Cursor's CLI
// has here, and adds to its hint.
func ofCursorCLI(argv []string, hint string) ([]string, string) {
	if len(argv) == 0 || argv[0] != cursorAgent {
		return argv, hint
	}
	program, problem := cursorCLI(exec.LookPath)
	if problem != "" {
		hint += "\n" + problem
	}
	return append([]string{program}, argv[1:]...), hint
}
