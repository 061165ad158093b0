// Package suggest finds the command that verifies the work in a folder. It only looks
// at files; nothing is run.
package suggest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Fits returns the command that fits best, empty for a loop that needs none: it has a gate, or only plans.
func Fits(l loop.State) string {
	if l.Verify != "" || l.Plans() {
		return ""
	}
	return append(Verify(l.Workspace), "")[0]
}

// Verify returns the commands that may fit --verify in a workspace, the best one first.
func Verify(workspace string) (commands []string) {
	w := files{workspace}
	if workspace == "" {
		return nil
	}
	for _, find := range []func() string{w.node, w.makefile, w.golang, w.cargo, w.python} {
		if command := find(); command != "" {
			commands = append(commands, command)
		}
	}
	return commands
}

type files struct{ folder string }

// maxFile is the size of the largest file that is read, in bytes.
const maxFile = 1 << 20

// read returns what a file holds, empty if the file is missing, too large or not ours.
func (w files) read(name string) string {
	data, _, _ := ownfile.ReadWithin(filepath.Join(w.folder, name), 0, maxFile) // with an error there is none
	return string(data)
}

func (w files) has(name string) bool {
	info, err := os.Lstat(filepath.Join(w.folder, name))
	return err == nil && info.Mode().IsRegular()
}

// noTest is the script that npm init writes.
const noTest = "no test specified"

func (w files) node() string {
	var p struct{ Scripts map[string]string }
	err := json.Unmarshal([]byte(w.read("package.json")), &p)
	if test := p.Scripts["test"]; err != nil || strings.TrimSpace(test) == "" || strings.Contains(test, noTest) {
		return ""
	}
	switch {
	case w.has("pnpm-lock.yaml"):
		return "pnpm test"
	case w.has("yarn.lock"):
		return "yarn test"
	case w.has("bun.lock") || w.has("bun.lockb"):
		return "bun run test"
	}
	return "npm test"
}

func (w files) makefile() string {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} { // the order in which make looks
		if text := w.read(name); text != "" {
			return makeTarget(text)
		}
	}
	return ""
}

// makeTarget returns the command for the target test, else for check. A name before := is a
// variable, and an indented line is a recipe.
func makeTarget(text string) string {
	best := ""
	for line := range strings.Lines(text) {
		names, rest, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(strings.TrimPrefix(rest, ":"), "=") || strings.ContainsAny(names[:min(1, len(names))], "\t.#") {
			continue
		}
		for _, target := range strings.Fields(names) {
			if slices.Contains([]string{"test", "check"}, target) && (best == "" || target == "test") {
				best = "make " + target
			}
		}
	}
	return best
}

func (w files) golang() string { return w.when("go.mod", "go test ./...") }

func (w files) cargo() string { return w.when("Cargo.toml", "cargo test") }

func (w files) when(file, command string) string {
	if w.has(file) {
		return command
	}
	return ""
}

func (w files) python() string {
	switch {
	case !strings.Contains(w.read("pyproject.toml"), "pytest"):
		return ""
	case w.has("uv.lock"):
		return "uv run pytest"
	case w.has("poetry.lock"):
		return "poetry run pytest"
	}
	return "pytest"
}
