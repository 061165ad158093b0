package run

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
)

const (
	askedBytes = 64 << 10 // longer questions are denied
	diffLines  = 400      // shown of one file
)

// ask asks the user whether the agent may do something. No answer means no.
func (v *runView) ask(ctx context.Context, r acp.Request) bool {
	words := question(r)
	v.mu.Lock()
	if len(words) > askedBytes {
		defer v.mu.Unlock()
		v.event("asks", "", loop.Record{}, "  not permitted: the agent asks for more than can be shown")
		return false
	}
	v.event("asks", words, loop.Record{}, words)
	if v.json {
		v.prompt(cli.Printable(words) + "\n")
	}
	was := v.line
	v.line = false
	line := v.input.expect()
	v.prompt("waiting for you: allow it? [y/N] ")
	v.mu.Unlock()
	answer := ""
	select {
	case <-ctx.Done():
	case answer = <-line:
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if ctx.Err() != nil {
		v.prompt("\nno longer waiting: the turn is over\n")
	}
	v.line = was
	return strings.EqualFold(answer, "y") || strings.EqualFold(answer, "yes")
}

// prompt writes to the user, not to the reader of the JSON.
func (v *runView) prompt(words string) {
	out := v.e.Stdout
	if v.json {
		out = v.e.Stderr
	}
	_, _ = io.WriteString(out, words) // errors: see print
}

// answers reads the lines that the user types. It reads on between questions, so
// that what was typed before a question does not answer it.
type answers struct {
	mu    sync.Mutex
	asked chan<- string // nil between questions
	ended bool
}

func (a *answers) read(from io.Reader) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		a.give(strings.TrimSpace(lines.Text()), false)
	}
	a.give("", true)
}

func (a *answers) give(line string, end bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked != nil {
		a.asked <- line
	}
	a.asked, a.ended = nil, end
}

// expect returns a channel that gets the next line, or "" at the end of the input.
func (a *answers) expect() <-chan string {
	line := make(chan string, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		line <- ""
	} else {
		a.asked = line
	}
	return line
}

// question describes a request to the user. Everything that the agent wrote is
// quoted or follows the mark of a diff line, so that it cannot imitate the question.
func question(r acp.Request) string {
	lines := []string{"the agent asks: " + r.Kind}
	if r.Title != "" {
		lines[0] += ", which it calls " + strconv.Quote(r.Title)
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
	if r.Outside {
		lines = append(lines, "some of that is, or may be, outside the workspace")
	}
	if r.Executed {
		lines = append(lines, "other tools execute such files on their own")
	}
	return strings.Join(lines, "\n  ")
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

// unshown returns the paths of a request that have no diff.
func unshown(r acp.Request) (paths []string) {
	shown := map[string]bool{}
	for _, e := range r.Edits {
		shown[e.Path] = true
	}
	for _, p := range r.Paths {
		if !shown[p] {
			paths, shown[p] = append(paths, p), true
		}
	}
	return paths
}

// diffOf returns the diff of an edit.
func diffOf(e acp.Edit) (lines []string) {
	if e.Old == e.New {
		return []string{"no change"}
	}
	data := diff.Diff("a", []byte(e.Old), "b", []byte(e.New))
	for line := range bytes.Lines(data) {
		lines = append(lines, cli.Printable(strings.TrimSuffix(string(line), "\n")))
	}
	lines = lines[3:] // without the names, which the question has already
	if more := len(lines) - diffLines; more > 0 {
		lines = append(lines[:diffLines], fmt.Sprintf("and %d more lines, which are not shown", more))
	}
	return lines
}
