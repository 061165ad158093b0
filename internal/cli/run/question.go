package run

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
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
		lines = append(lines, "some of that is, or may be, outside the workspace")
	}
	if r.Executed {
		lines = append(lines, "other tools execute such files on their own")
	}
	lines = append(lines, executionWords(r)...)
	for _, path := range unshown(r) {
		lines = append(lines, "file: "+strconv.Quote(path))
	}
	for _, e := range r.Edits {
		lines = append(lines, "file: "+strconv.Quote(e.Path))
		lines = append(lines, diffOf(e)...)
	}
	for _, field := range r.Input {
		lines = append(lines, "input: "+cli.Printable(field))
	}
	return lines
}

func inShort(r acp.Request) string {
	switch e := r.Execution; {
	case e != nil && (e.Line != "" || len(e.Argv) > 0):
		return cli.Shortened(strings.Join(executionWords(r), ", "), 1000)
	case len(r.Paths) > 0:
		return cli.Shortened(r.Kind+" "+strconv.Quote(r.Paths[0]), 1000)
	}
	return cli.Shortened(strings.TrimSpace(r.Kind+" "+strconv.Quote(r.Title)), 1000)
}

// executionWords describes exactly what would be executed, as far as we know.
func executionWords(r acp.Request) (lines []string) {
	e := r.Execution
	switch {
	case e == nil:
		return nil
	case e.Line != "":
		lines = append(lines, "in a shell: "+strconv.Quote(e.Line))
	case len(e.Argv) > 0:
		lines = append(lines, "program: "+quotedWords(e.Argv))
	default:
		lines = append(lines, "it does not say what it would run, only this")
		for _, text := range r.Says {
			lines = append(lines, "  "+strconv.Quote(text))
		}
	}
	lines = append(lines, "in: "+strconv.Quote(e.Dir))
	for _, variable := range e.Env {
		lines = append(lines, "with: "+strconv.Quote(variable))
	}
	return lines
}

func quotedWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return strings.Join(quoted, " ")
}

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
