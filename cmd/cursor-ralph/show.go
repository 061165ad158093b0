package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func statusFlags(f *pflag.FlagSet) {
	f.Bool("json", false, "print JSON")
	f.Bool("line", false, "print one line for a status bar, nothing without a loop")
}

// isSet tells whether a switch was given.
func (e *env) isSet(name string) bool {
	f := e.flags.Lookup(name)
	return f != nil && f.Value.String() == "true"
}

func status(_ context.Context, e *env, args []string) error {
	id, err := e.target(args)
	if err != nil {
		if e.isSet("line") && len(args) == 0 {
			return nil
		}
		return err
	}
	l, err := e.find(id)
	switch {
	case err != nil:
		return err
	case e.isSet("line"):
		return e.say("%s", l.Line())
	case e.isSet("json"):
		return e.json(l)
	}
	return e.showLoop(id, l)
}

// find gives a loop that is live, pending or in the archive.
func (e *env) find(id string) (loop.State, error) {
	l, err := e.store.Read(id)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return l, hintFor(err)
	}
	items, err := e.box.List()
	if err != nil {
		return l, err
	}
	for _, i := range items {
		if i.Name == id {
			i.State.Status = pendingStatus(i.State.Status)
			return i.State, i.Err
		}
	}
	if l, err = e.store.Archived(id); err != nil {
		return l, e.unknown(id, err)
	}
	return l, nil
}

// pendingStatus is how a loop is shown that no chat has claimed.
func pendingStatus(s loop.Status) loop.Status {
	if s == loop.Running {
		return "pending"
	}
	return s
}

func (e *env) json(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(e.stdout, printable(b.String())) // \u0000 is JSON too
	return err
}

func (e *env) showLoop(id string, l loop.State) error {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if strings.TrimSpace(text) != "" {
			fmt.Fprintf(w, "%s\t%s\n", name, strings.ReplaceAll(text, "\n", "\n\t"))
		}
	}
	row("loop", "%s", id)
	row("status", "%s", l.Status)
	row("why", "%s", l.Reason)
	row("iteration", "%d of %d (%d in this session)", l.Iterations, l.MaxIterations, l.SessionIterations)
	row("promise", "%s (%s, %s)", l.Marker(), l.PromiseMatch, l.PromisePlace)
	row("tool calls", "%d of %d that a promise needs", l.ToolCalls, l.MinToolCalls)
	row("workspace", "%s", l.Workspace)
	row("started", "%s", ago(e.now(), l.StartedAt))
	row("last event", "%s", ago(e.now(), l.EventAt))
	row("progress", "%s", l.LastOutput)
	row("context to come", "%s", strings.Join(l.Context, "\n"))
	row("task", "%s", l.Prompt)
	row("typing", "%s", typingWords(l.Injection, e.now()))
	if l.Status == loop.Waiting {
		row("to go on", "%s\n%s", loop.ContinueLine(l.ConversationID), loop.PromptLink(l.ConversationID))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return e.say("%s", strings.TrimRight(b.String(), "\n"))
}

// typingWords tells how it went to type the continue line, the last time.
func typingWords(i loop.Injection, now time.Time) string {
	if i.ID == "" {
		return ""
	}
	words := cmp.Or(i.Outcome, "nothing was heard of it")
	if i.Open(now) {
		words = "under way"
	}
	if i.Method != "" {
		words += fmt.Sprintf(", by %s in %d ms", i.Method, i.Milliseconds)
	}
	return strings.Join(append([]string{words + ", " + ago(now, i.OpenedAt)}, i.Tries...), "\n")
}

func ago(now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return now.Sub(t).Round(time.Second).String() + " ago"
}

func listFlags(f *pflag.FlagSet) {
	jsonFlag(f)
	f.Bool("all", false, "ended loops too")
}

// entry is a line of list.
type entry struct {
	ID         string      `json:"id"`
	Status     loop.Status `json:"status"`
	Iterations int         `json:"iterations"`
	Max        int         `json:"max_iterations"`
	Workspace  string      `json:"workspace"`
	Task       string      `json:"task"`
	Problem    string      `json:"problem,omitempty"`
}

func list(_ context.Context, e *env, _ []string) error {
	entries, problems, err := e.entries()
	if err != nil {
		return err
	}
	if e.isSet("json") {
		return e.json(entries)
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, x := range entries {
		fmt.Fprintf(w, "%s\t%s\t%d/%d\t%s\t%s\n", x.ID, x.Status, x.Iterations, x.Max, x.Workspace, oneLine(x.Task+x.Problem))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "not readable: %v\n", p)
	}
	if b.Len() == 0 {
		return e.say("no loops")
	}
	return e.say("%s", strings.TrimRight(b.String(), "\n"))
}

func (e *env) entries() (entries []entry, problems []error, err error) {
	entries = []entry{}
	live, problems := e.store.List()
	for _, l := range live {
		entries = append(entries, entryOf(l.ConversationID, l))
	}
	items, err := e.box.List()
	if err != nil {
		return nil, nil, err
	}
	for _, i := range items {
		i.State.Status = pendingStatus(i.State.Status)
		x := entryOf(i.Name, i.State)
		if i.Err != nil {
			x.Problem = i.Err.Error()
		}
		entries = append(entries, x)
	}
	if !e.isSet("all") {
		return entries, problems, nil
	}
	ended, more := e.store.Records()
	slices.SortFunc(ended, func(a, b loop.State) int { return a.EndedAt.Compare(b.EndedAt) })
	for _, l := range ended {
		entries = append(entries, entryOf(l.ConversationID, l))
	}
	return entries, append(problems, more...), nil
}

func entryOf(id string, l loop.State) entry {
	return entry{ID: cmp.Or(id, "-"), Status: l.Status, Iterations: l.Iterations, Max: l.MaxIterations, Workspace: l.Workspace, Task: l.Prompt}
}

// oneLine shortens text for a table.
func oneLine(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= 60 {
		return string(runes)
	}
	return string(runes[:59]) + "…"
}

func history(_ context.Context, e *env, args []string) error {
	id, err := e.target(args)
	if err != nil {
		return err
	}
	l, err := e.find(id)
	if err != nil {
		return err
	}
	if e.isSet("json") {
		return e.json(append([]loop.Iteration{}, l.History...))
	}
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "#\tended\tseconds\ttools\tpromise\tthen\n")
	for _, h := range l.History {
		fmt.Fprintf(w, "%d\t%s\t%.1f\t%s\t%s\t%s\n", h.Number, h.EndedAt.Local().Format("15:04:05"), h.Seconds, tools(h.Tools), promiseOf(h), actionOf(h))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if l.Status.Ended() {
		fmt.Fprintf(&b, "%s: %s\n", l.Status, l.Reason)
	}
	return e.say("%s", strings.TrimRight(b.String(), "\n"))
}

// promiseOf is short, for a table; history --json has it whole.
func promiseOf(h loop.Iteration) string {
	switch {
	case h.Refused != "":
		return oneLine(h.Promise + ": " + h.Refused)
	case h.Warning != "":
		return oneLine(h.Promise + " with a warning: " + h.Warning)
	}
	return h.Promise
}

// actionOf is what came after an iteration; of a typed line also how it went.
func actionOf(h loop.Iteration) string {
	if len(h.Injections) == 0 {
		return h.Action
	}
	i := h.Injections[len(h.Injections)-1]
	if i.Outcome == loop.Arrived {
		return fmt.Sprintf("%s (%s, %d ms)", h.Action, i.Method, i.Milliseconds)
	}
	return oneLine(h.Action + ": " + i.Outcome)
}

func tools(counts map[string]int) string {
	var parts []string
	for name, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}
