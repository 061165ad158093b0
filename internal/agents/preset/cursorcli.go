package preset

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Cursor's CLI: its installer puts two links to it into the PATH. Sources:
// https://cursor.com/docs/cli/installation, and user reports.
const (
	cursorAgent      = "cursor-agent"
	cursorAgentShort = "agent"
)

// cursorCLI returns the name or path of Cursor's CLI, and a hint if only another
// program called agent was found. Many programs have that name, and starting one may
// have any effect, so we accept it only where Cursor's CLI is installed.
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
	return cursorAgent, fmt.Sprintf("%s does not look like Cursor's CLI; if it is, use --acp-command '%s acp'", path, path)
}

// isCursorCLI reports whether a path leads to …/cursor-agent/versions/VERSION/…, into
// a folder cursor-agent, or to a file of that name.
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

// WithCursorCLI replaces the program of a preset, if it is Cursor's CLI, with its name
// on this machine.
func WithCursorCLI(argv []string, hint string) ([]string, string) {
	if len(argv) == 0 || argv[0] != cursorAgent {
		return argv, hint
	}
	program, problem := cursorCLI(exec.LookPath)
	if problem != "" {
		hint += "\n" + problem
	}
	return append([]string{program}, argv[1:]...), hint
}
