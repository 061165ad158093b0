// Package suggest finds the command that verifies the work in a folder. It only looks
// at files; nothing is run.
package suggest

import (
	"encoding/json"
	"io/fs"
	"regexp"
	"strings"
)

// Verify returns the commands that may fit --verify in a workspace, the best one first.
func Verify(workspace fs.FS) (commands []string) {
	w := files{workspace}
	for _, find := range []func() string{w.node, w.makefile, w.golang, w.cargo, w.python} {
		if command := find(); command != "" {
			commands = append(commands, command)
		}
	}
	return commands
}

type files struct{ fs.FS }

// maxFile is the size of the largest file that is read, in bytes.
const maxFile = 1 << 20

// read returns what a file holds, empty if the file is missing or too large.
func (w files) read(name string) string {
	info, err := fs.Stat(w, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return ""
	}
	data, _ := fs.ReadFile(w, name) // as if it were empty
	return string(data)
}

func (w files) has(name string) bool {
	info, err := fs.Stat(w, name)
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

var testTarget = regexp.MustCompile(`(?m)^(?:[\w.-]+ +)*(test|check)(?: +[\w.-]+)* *::?(?:[^=]|$)`)

func (w files) makefile() string {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} { // the order in which make looks
		if text := w.read(name); text != "" {
			return makeTarget(text)
		}
	}
	return ""
}

func makeTarget(text string) string {
	best := ""
	for _, m := range testTarget.FindAllStringSubmatch(text, -1) {
		if best == "" || m[1] == "test" {
			best = "make " + m[1]
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
