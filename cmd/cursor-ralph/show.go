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
	f.Bool("stdin", false, "with --line: take the chat from the JSON that Cursor's CLI gives its status line")
}

// isSet tells whether a switch was given.
func (e *env) isSet(name string) bool {
	f := e.flags.Lookup(name)
	return f != nil && f.Value.String() == "true"
}

func status(_ context.Context, e *env, args []string) error {
	switch {
	case e.isSet("line") && e.isSet("json"):
		return misuse("status takes --line and --json not both", "--json has all that a line is made from")
	case e.isSet("line"):
		return e.line(args)
	}
	id, err := e.target(args)
	if err != nil {
		return err
	}
	l, err := e.find(id)
	switch {
	case err != nil:
		return err
	case e.isSet("json"):
		return e.json(struct {
			loop.State
			Stale bool `json:"stale"`
		}{l, l.Stale(e.now())})
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
	row("status", "%s", statusWords(l, e.now()))
	row("why", "%s", l.Reason)
	row("iteration", "%d of %d (%d in this session)", l.Iterations, l.MaxIterations, l.SessionIterations)
	row("promise", "%s (%s, %s)", l.Marker(), l.PromiseMatch, l.PromisePlace)
	row("verify", "%s", verifyWords(l, e.now()))
	row("options", "%s", optionsOf(l))
	row("tool calls", "%s", toolWords(l))
	row("workspace", "%s", l.Workspace)
	row("started", "%s", ago(e.now(), l.StartedAt))
	row("last event", "%s", ago(e.now(), l.EventAt))
	row("stuck", "%s", l.Struggle)
	row("progress", "%s", l.LastOutput)
	row("context to come", "%s", strings.Join(l.Context, "\n"))
	row("task", "%s", l.Prompt)
	row("typing", "%s", typingWords(l.Injection, e.now()))
	switch {
	case l.Outer():
		row("agent", "%s", agentWords(l.Run))
		row("run", "%s", runWords(l))
		row("to go on", "%s", goOnWords(l))
	case l.Status == loop.Waiting, l.Status == loop.Paused && l.Rested:
		row("to go on", "%s\n%s", loop.ContinueLine(l.ConversationID), loop.PromptLink(l.ConversationID))
	case l.Status == loop.Paused:
		row("to go on", "cursor-ralph resume %s (it pauses when the agent stops)", id)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return e.say("%s", strings.TrimRight(b.String(), "\n"))
}

// statusWords is the status, and what else can be said of it now.
func statusWords(l loop.State, now time.Time) string {
	words := string(l.Status)
	if l.Guarded() {
		words += ", plan mode"
	}
	if l.Stale(now) {
		words += ", stale: it does not go on by itself"
	}
	return words
}

func verifyWords(l loop.State, now time.Time) string {
	if l.Verify == "" {
		return ""
	}
	words := fmt.Sprintf("%s (at most %s)", l.Verify, l.VerifyLimit())
	if l.Verifying.Open(l, now) {
		words += "\nit runs now, since " + strings.TrimSuffix(ago(now, l.Verifying.Since), " ago")
	}
	return words
}

// typingWords tells how it went to type the continue line, the last time.
func typingWords(i loop.Injection, now time.Time) string {
	words := i.Words(now)
	if words == "" {
		return ""
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
	Stale      bool        `json:"stale"`
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
		fmt.Fprintf(w, "%s\t%s\t%d/%d\t%s\t%s\n", x.ID, x.words(), x.Iterations, x.Max, x.Workspace, oneLine(x.Task+x.Problem))
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
		entries = append(entries, e.entry(l.ConversationID, l))
	}
	items, err := e.box.List()
	if err != nil {
		return nil, nil, err
	}
	for _, i := range items {
		i.State.Status = pendingStatus(i.State.Status)
		x := e.entry(i.Name, i.State)
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
		entries = append(entries, e.entry(l.ConversationID, l))
	}
	return entries, append(problems, more...), nil
}

func (x entry) words() string {
	if x.Stale {
		return string(x.Status) + " (stale)"
	}
	return string(x.Status)
}

func (e *env) entry(id string, l loop.State) entry {
	return entry{ID: cmp.Or(id, "-"), Status: l.Status, Stale: l.Stale(e.now()), Iterations: l.Iterations, Max: l.MaxIterations, Workspace: l.Workspace, Task: l.Prompt}
}

func toolWords(l loop.State) string {
	if l.Run.NoTools {
		return "not seen: the agent only prints"
	}
	return fmt.Sprintf("%d of %d that a promise needs", l.ToolCalls, l.MinToolCalls)
}
