package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/suggest"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// A form is the document in which a loop is started from an editor: options between two
// lines of dashes, below them the task, word for word.

func formFlags(f *pflag.FlagSet) {
	f.Bool("run", false, "for cursor-ralph run, in an editor without a chat of Cursor")
	f.Bool("read", false, "read one from standard input, and print the arguments of cursor-ralph that start the loop")
}

type field struct{ name, why string }

// fieldsOfForm are what a form offers. It takes the other options too.
func fieldsOfForm(run bool) []field {
	all := []field{
		{"max-iterations", "The loop ends after this many iterations."},
		{"max-duration", "It ends after this much working time, such as 90m or 2h."},
		{"verify", "A command that has to succeed before the agent's word counts."},
		{"tasks", "A Markdown file with checkboxes that all have to be checked first."},
		{"review", "A second agent that must find nothing wrong, such as claude or codex."},
		{"checkpoints", "yes: each iteration's files are kept in git, and shown as changes."},
	}
	if run {
		return append([]field{
			{"agent", "The agent that works: claude, codex, cursor, gemini, opencode or copilot."},
			{"permissions", "What it may do without asking you in the terminal: ask, edits, all or none."},
		}, all...)
	}
	return append(all, field{"fresh-chat", "Go on in a new chat after this many iterations. 0: never."})
}

const fence = "---"

func form(_ context.Context, e *env, _ []string) error {
	if !e.IsSet("read") {
		return e.writeForm()
	}
	data, err := io.ReadAll(io.LimitReader(e.Stdin, cli.MaxTask))
	if err != nil {
		return err
	}
	args, err := argumentsOf(string(data), e.IsSet("run"), e.isOn)
	if err != nil {
		return hint.New(err.Error(), "nothing was started")
	}
	return e.JSON(struct {
		Schema int      `json:"schema"`
		Args   []string `json:"args"`
	}{view.Schema, args})
}

func (e *env) writeForm() error {
	r, err := e.Request()
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(fence + "\n")
	for _, f := range fieldsOfForm(e.IsSet("run")) {
		value := render.Value(r.State, f.name)
		if f.name == "verify" && value == "" {
			value = e.suggested()
		}
		fmt.Fprintf(&b, "# %s\n%s\n", f.why, strings.TrimRight(f.name+": "+value, " "))
	}
	b.WriteString(fence + "\n\n")
	_, err = io.WriteString(e.Stdout, b.String())
	return err
}

func (e *env) suggested() string {
	here, err := e.Workspace()
	if err != nil {
		return ""
	}
	if found := suggest.Verify(here); len(found) > 0 {
		return found[0]
	}
	return ""
}

// isOn reports whether the user's settings turn on an option.
func (e *env) isOn(name string) bool {
	r, err := e.Request()
	return err == nil && render.Value(r.State, name) != ""
}

// argumentsOf returns the arguments that start the loop of a form. An option without a
// value is off, also where the settings turn it on.
func argumentsOf(text string, run bool, isOn func(string) bool) ([]string, error) {
	head, task, ok := parted(text)
	if !ok {
		return nil, errors.New("the form's options are not between two lines of " + fence)
	}
	task = strings.TrimRight(strings.TrimLeft(task, "\r\n"), " \t\r\n")
	if strings.TrimSpace(task) == "" {
		return nil, errors.New("write what the agent should do below the options")
	}
	args := []string{"start"}
	if run {
		args = []string{"run"}
	}
	for line := range strings.Lines(head) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%q is no option: write its name, a colon and its value", line)
		}
		args = append(args, argumentOf(strings.TrimSpace(name), strings.TrimSpace(value), isOn)...)
	}
	return append(args, "--", task), nil
}

// parted splits a form at its second line of dashes.
func parted(text string) (head, task string, ok bool) {
	text = strings.TrimLeft(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, "\n"), fence+"\n")
	if !ok {
		return "", "", false
	}
	return strings.Cut("\n"+rest+"\n", "\n"+fence+"\n")
}

func argumentOf(name, value string, isOn func(string) bool) []string {
	off, on := slices.Contains([]string{"", "no", "off", "false"}, value), slices.Contains([]string{"yes", "on", "true"}, value)
	switch o := optionNamed(name); {
	case off && isOn(name) && o.Name != "" && hasWithout(o):
		return []string{"--no-" + name}
	case off:
		return nil
	case o.Arg == "" && (o.Name != "" || on):
		return []string{"--" + name}
	}
	return []string{"--" + name + "=" + value}
}

func optionNamed(name string) loop.Option {
	for _, o := range loop.Options() {
		if o.Name == name {
			return o
		}
	}
	return loop.Option{}
}

func hasWithout(o loop.Option) bool {
	_, ok := o.Without()
	return ok
}
