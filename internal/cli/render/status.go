// Package render shows loops to people: status, list, history, report and log. It
// changes none.
package render

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func agentWords(r loop.Run) string {
	words := fmt.Sprintf("%s (%s)", r.Agent, r.Driver)
	if r.Command != "" {
		words = fmt.Sprintf("%s (%s)", r.Command, r.Driver)
	}
	if r.Permissions != "" {
		words += ", permissions " + r.Permissions
	}
	return words
}

func runWords(e *cli.Env, l loop.State) string {
	switch {
	case l.Status.Ended():
		return "ended"
	case e.Lives(l):
		return "its process is there"
	}
	return "its process has ended"
}

func goOnWords(e *cli.Env, l loop.State) string {
	switch {
	case l.Status.Ended() || !e.Lives(l):
		return l.ResumeCommand(e.Now())
	case l.Status == loop.Paused:
		return "cursor-ralph resume " + l.ConversationID
	}
	return ""
}

// StatusFlags adds the flags of status.
func StatusFlags(f *pflag.FlagSet) {
	f.Bool("json", false, "print JSON")
	f.Bool("line", false, "print one line for a status bar, nothing without a loop")
	f.Bool("stdin", false, "with --line: read the chat from the JSON that Cursor's CLI sends to a status line")
}

// Status shows one loop.
func Status(_ context.Context, e *cli.Env, args []string) error {
	switch {
	case e.IsSet("line") && e.IsSet("json"):
		return hint.Misuse("status takes --line and --json not both", "--json has all that a line is made from")
	case e.IsSet("line"):
		return line(e, args)
	}
	found, err := e.Target(args)
	l := found.State
	switch {
	case err != nil:
		return err
	case e.IsSet("json"):
		return e.JSON(struct {
			loop.State
			Stale   bool `json:"stale"`
			Stalled bool `json:"stalled"`
		}{l, l.Stale(e.Now()), l.IsStalled(e.Now())})
	}
	return showLoop(e, found.ID, l)
}

func showLoop(e *cli.Env, id string, l loop.State) error {
	var rows [][]string
	row := func(name, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if strings.TrimSpace(text) != "" {
			rows = append(rows, []string{name, strings.ReplaceAll(text, "\n", "\n\t")})
		}
	}
	row("loop", "%s", id)
	row("status", "%s", statusWords(l, e.Now()))
	row("why", "%s", l.Reason)
	row("iteration", "%d of %d (%d in this session)", l.Iteration(), l.MaxIterations, l.SessionIterations)
	row("promise", "%s (%s, %s)", l.CompletionPromise, l.PromiseMatch, l.PromisePlace)
	row("verify", "%s", verifyWords(l, e.Now()))
	row("options", "%s", OptionsOf(l))
	row("tool calls", "%s", toolWords(l))
	row("workspace", "%s", l.Workspace)
	row("started", "%s", ago(e.Now(), l.StartedAt))
	row("last event", "%s", ago(e.Now(), l.EventAt))
	row("stuck", "%s", l.Struggle)
	row("progress", "%s", l.LastOutput)
	row("context to come", "%s", strings.Join(l.Context, "\n"))
	row("task", "%s", l.Prompt)
	row("follow-up", "%s", followupWords(l.Followup, e.Now()))
	row("typing", "%s", typingWords(l.Injection, e.Now()))
	switch {
	case l.Outer():
		row("agent", "%s", agentWords(l.Run))
		row("run", "%s", runWords(e, l))
		row("to go on", "%s", goOnWords(e, l))
	case l.Status == loop.Waiting, l.Status == loop.Paused && l.Rested:
		row("to go on", "%s\n%s", loop.ContinueLine(l.ConversationID), loop.PromptLink(l.ConversationID))
	case l.Status == loop.Paused:
		row("to go on", "cursor-ralph resume %s (it pauses when the agent stops)", id)
	}
	return e.Say("%s", strings.TrimRight(cli.Columns(rows), "\n"))
}

// statusWords returns the status and what else is worth knowing.
func statusWords(l loop.State, now time.Time) string {
	words := string(l.Status)
	if l.Guarded() {
		words += ", plan mode"
	}
	switch {
	case l.Stale(now):
		words += ", stale: it does not go on by itself"
	case l.IsStalled(now):
		words += ", stalled: no event for " + strings.TrimSuffix(ago(now, l.EventAt), " ago")
	}
	return words
}

func verifyWords(l loop.State, now time.Time) string {
	if l.Verify == "" {
		return l.VerifyChanged()
	}
	words := fmt.Sprintf("%s (at most %s)", l.Verify, l.VerifyLimit())
	if l.IsVerifying(now) {
		words += "\nit runs now, since " + strings.TrimSuffix(ago(now, l.Verifying.Since), " ago")
	}
	if changed := l.VerifyChanged(); changed != "" {
		words += "\n" + changed
	}
	return words
}

// followupWords describes a follow-up that has not arrived as it should.
func followupWords(f loop.SentFollowup, now time.Time) string {
	if f.IsOpen() {
		return "sent " + ago(now, f.SentAt) + ", nothing shows yet that it arrived"
	}
	return deliveryWords(f.Outcome)
}

func deliveryWords(d loop.Delivery) string {
	switch d {
	case loop.FollowupLost:
		return "lost; it is delivered again"
	case loop.FollowupAgain:
		return "lost, and delivered again"
	case loop.FollowupLate:
		return "arrived late"
	}
	return ""
}

// typingWords describes the last attempt to type the continue line.
func typingWords(i loop.Injection, now time.Time) string {
	words := i.Words(now)
	if words == "" {
		return ""
	}
	return strings.Join(append([]string{words + " (" + ago(now, i.OpenedAt) + ")"}, otherTries(i)...), "\n")
}

// otherTries returns the ways that did not work, unless the outcome lists the same.
func otherTries(i loop.Injection) []string {
	if string(i.Outcome) == strings.Join(i.Tries, "; ") {
		return nil
	}
	return i.Tries
}

func ago(now, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return now.Sub(t).Round(time.Second).String() + " ago"
}

// ListFlags adds the flags of list.
func ListFlags(f *pflag.FlagSet) {
	cli.JSONFlag(f)
	f.Bool("all", false, "ended loops too")
}

// entry is a line of list.
type entry struct {
	ID         string      `json:"id"`
	Status     loop.Status `json:"status"`
	Stale      bool        `json:"stale"`
	Stalled    bool        `json:"stalled"`
	Iterations int         `json:"iterations"`
	Max        int         `json:"max_iterations"`
	Workspace  string      `json:"workspace"`
	Task       string      `json:"task"`
	Problem    string      `json:"problem,omitempty"`

	iteration int // that is being worked on
}

// List lists loops.
func List(_ context.Context, e *cli.Env, _ []string) error {
	entries, problems, err := entries(e)
	if err != nil {
		return err
	}
	if e.IsSet("json") {
		return e.JSON(entries)
	}
	var rows [][]string
	for _, x := range entries {
		rows = append(rows, []string{x.ID, x.words(), fmt.Sprintf("%d/%d", x.iteration, x.Max), x.Workspace, cli.Shortened(x.Task+x.Problem, 60)})
	}
	text := cli.Columns(rows)
	for _, p := range problems {
		text += fmt.Sprintf("not readable: %v\n", p)
	}
	return e.Say("%s", cmp.Or(strings.TrimRight(text, "\n"), "no loops"))
}

func entries(e *cli.Env) (entries []entry, problems []error, err error) {
	entries = []entry{}
	since := e.Now()
	if e.IsSet("all") {
		since = time.Time{}
	}
	all, err := e.Loops.All(since)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range all {
		if l.ID == "" {
			problems = append(problems, l.Err)
			continue
		}
		x := newEntry(e, l.ID, l.State)
		if l.IsInterrupted() {
			x.Status = "interrupted"
		}
		if l.Err != nil {
			x.Problem = l.Err.Error()
		}
		entries = append(entries, x)
	}
	return entries, problems, nil
}

func (x entry) words() string {
	switch {
	case x.Stale:
		return string(x.Status) + " (stale)"
	case x.Stalled:
		return string(x.Status) + " (stalled)"
	}
	return string(x.Status)
}

func newEntry(e *cli.Env, id string, l loop.State) entry {
	return entry{ID: cmp.Or(id, "-"), Status: l.Status, Stale: l.Stale(e.Now()), Stalled: l.IsStalled(e.Now()), Iterations: l.Iterations, Max: l.MaxIterations, Workspace: l.Workspace, Task: l.Prompt,
		iteration: l.Iteration()}
}

func toolWords(l loop.State) string {
	if l.Run.NoTools {
		return "unknown: the agent only prints"
	}
	return fmt.Sprintf("%d (%d needed)", l.ToolCalls, l.MinToolCalls)
}
