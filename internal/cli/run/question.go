package run

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/outer/acp"
)

// question describes a request to the user, in lines. Everything that the agent wrote
// is quoted or follows the mark of a diff line, so that it cannot imitate the question.
func question(r acp.Request) []string {
	first := "the agent asks: " + r.Kind
	if r.Title != "" {
		first += ", which it calls " + strconv.Quote(r.Title)
	}
	lines := []string{first}
	if r.Outside {
		lines = append(lines, "some of that is outside the workspace")
	}
	if r.Obeyed {
		lines = append(lines, "programs execute, or agents obey, such files on their own")
	}
	for _, text := range r.Says {
		lines = append(lines, "it says: "+strconv.Quote(text))
	}
	if r.Kind == "execute" && len(r.Input) == 0 {
		lines = append(lines, "it does not say what it would run")
	}
	for _, field := range r.Input {
		if command, ok := commandIn(field); ok {
			field = "it runs: " + command
		} else {
			field = "input: " + field
		}
		lines = append(lines, cli.Printable(field))
	}
	for _, path := range unshown(r) {
		lines = append(lines, "file: "+strconv.Quote(path))
	}
	for _, e := range r.Edits {
		lines = append(lines, "file: "+strconv.Quote(e.Path))
		lines = append(lines, diffOf(e)...)
	}
	return lines
}

// inShort describes a request in a line.
func inShort(r acp.Request) string {
	for _, field := range r.Input {
		if command, ok := commandIn(field); ok {
			return cli.Shortened("run "+command, 1000)
		}
	}
	if len(r.Paths) > 0 {
		return cli.Shortened(r.Kind+" "+strconv.Quote(r.Paths[0]), 1000)
	}
	return cli.Shortened(strings.TrimSpace(r.Kind+" "+strconv.Quote(r.Title)), 1000)
}

// commandIn returns the command in a field of a tool's input, as JSON.
func commandIn(field string) (string, bool) { return strings.CutPrefix(field, `"command": `) }

func unshown(r acp.Request) (paths []string) {
	for _, p := range r.Paths {
		isShown := slices.ContainsFunc(r.Edits, func(e acp.Edit) bool { return e.Path == p })
		if !isShown && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
	}
	return paths
}

func diffOf(e acp.Edit) (lines []string) {
	if e.Old == e.New {
		return []string{"no change"}
	}
	for line := range bytes.Lines(diff.Diff("a", []byte(e.Old), "b", []byte(e.New))) {
		lines = append(lines, cli.Printable(strings.TrimSuffix(string(line), "\n")))
	}
	return lines[3:] // without the names, which the question has already
}
