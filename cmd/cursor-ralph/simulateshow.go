package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

// simulated is what simulate --json prints.
type simulated struct {
	File      string          `json:"file"`
	Place     string          `json:"place"`
	Workspace string          `json:"workspace"`
	Used      bool            `json:"used"`
	Dropped   []string        `json:"dropped,omitempty"` // why
	Steps     []simulatedStep `json:"steps"`
	Warnings  []string        `json:"warnings,omitempty"`
	Failures  []string        `json:"failures,omitempty"`
	NotKnown  []unknown       `json:"not_known,omitempty"`
}

// simulatedStep is something said or done, or an event with its hooks.
type simulatedStep struct {
	Kind    string          `json:"kind"` // event, or who did it
	Turn    int             `json:"turn"`
	Text    string          `json:"text,omitempty"`
	Event   string          `json:"event,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Runs    []simulatedRun  `json:"runs,omitempty"`
	Passed  []passedOver    `json:"passed,omitempty"`
	Effects []string        `json:"effects,omitempty"`
}

// passedOver is an entry that was not run.
type passedOver struct {
	Entry   string `json:"entry"`
	Command string `json:"command"`
	Why     string `json:"why"`
}

type simulatedRun struct {
	Entry      string         `json:"entry"`
	Command    string         `json:"command"`
	Matcher    string         `json:"matcher,omitempty"`
	Timeout    float64        `json:"timeout_seconds"`
	FailClosed bool           `json:"fail_closed"`
	Skipped    bool           `json:"skipped"` // its loop_limit is reached
	Exit       int            `json:"exit"`
	Seconds    float64        `json:"seconds"`
	Stdout     string         `json:"stdout,omitempty"`
	Stderr     string         `json:"stderr,omitempty"`
	Answer     map[string]any `json:"answer"`
	Problem    string         `json:"problem,omitempty"`
	Unused     []string       `json:"unused,omitempty"`
}

func (s *simulation) step(x simulatedStep) { s.report.Steps = append(s.report.Steps, x) }

func (s *simulation) note(text string) {
	s.step(simulatedStep{Kind: "note", Text: text})
	s.line("note", text)
}

func (s *simulation) line(who, text string) { s.print(fmt.Sprintf("%-8s %s", who, text)) }

func (s *simulation) print(text string) {
	if !s.asJSON {
		fmt.Fprintln(s.e.stdout, printable(text))
	}
}

func (s *simulation) header() {
	s.print(fmt.Sprintf("%s: used, as the %s's", s.report.File, s.report.Place))
	s.print("The hooks of an event run at the same time; their answers are merged in the order shown.\n")
}

// observe shows what is said and done.
func (s *simulation) observe(x simcursor.Entry) {
	who := map[simcursor.Kind]string{
		simcursor.UserMessage: "user", simcursor.FollowupMessage: "cursor", simcursor.AssistantText: "agent",
		simcursor.ToolCall: "tool", simcursor.TurnEnd: "turn", simcursor.ShownToUser: "cursor",
	}[x.Kind]
	text := x.Text
	switch {
	case who == "":
		return
	case x.Kind == simcursor.ToolCall:
		text = s.callWords(x)
	case x.Kind == simcursor.ShownToUser:
		text = "shows the user: " + text
	}
	s.step(simulatedStep{Kind: who, Turn: x.Turn, Text: text})
	s.line(who, firstLine(text))
}

// callWords tells of a tool call, and why it did not run to its end.
func (s *simulation) callWords(x simcursor.Entry) string {
	words := x.Name
	if x.Text != "" {
		words += ": " + firstLine(strings.TrimPrefix(x.Text, s.cfg.Workspace+"/"))
	}
	if x.Exit == -1 {
		words += " (" + strings.TrimSuffix(x.Output, ": ") + ")"
	}
	return words
}

// fired shows an event with its hooks.
func (s *simulation) fired(f simcursor.Firing) {
	x := simulatedStep{Kind: "event", Turn: f.Turn, Event: f.Event, Input: f.Payload}
	for _, p := range f.Passed {
		x.Passed = append(x.Passed, passedOver{entryName(f.Event, p.Index), p.Command, p.Why})
	}
	if len(f.Runs) > 0 {
		x.Effects = f.Effects()
	}
	for _, r := range f.Runs {
		x.Runs = append(x.Runs, runOf(r))
		s.judge(r)
	}
	s.step(x)
	if len(f.Runs) > 0 || s.verbose {
		s.showFiring(f, x)
	}
}

func (s *simulation) showFiring(f simcursor.Firing, x simulatedStep) {
	s.print("  " + f.Event)
	if s.verbose {
		s.print("    input  " + string(f.Payload))
	}
	for _, r := range f.Runs {
		s.showRun(r)
	}
	for _, p := range x.Passed {
		s.print(strings.TrimRight(fmt.Sprintf("    %s  %s", p.Entry, p.Command), " "))
		s.print("      not run: " + p.Why)
	}
	for _, effect := range x.Effects {
		s.print("    => " + effect)
	}
}

func entryName(event string, index int) string { return fmt.Sprintf("%s[%d]", event, index) }

func runOf(r simcursor.Run) simulatedRun {
	return simulatedRun{Entry: entryName(r.Event, r.Index), Command: r.Command, Matcher: r.Matcher,
		Timeout: r.Timeout.Seconds(), FailClosed: r.FailClosed, Skipped: r.Skipped, Exit: r.Exit,
		Seconds: r.Duration.Seconds(), Stdout: r.Stdout, Stderr: r.Stderr, Answer: r.Answer, Problem: r.Problem, Unused: r.Unused()}
}

func (s *simulation) showRun(r simcursor.Run) {
	s.print(fmt.Sprintf("    %s  %s", entryName(r.Event, r.Index), r.Command))
	if r.Matcher != "" {
		s.print(fmt.Sprintf("      matched by %q", r.Matcher))
	}
	if r.Skipped {
		s.print("      not run: its loop_limit is reached")
		return
	}
	s.print(fmt.Sprintf("      exit %d after %s (timeout %s)", r.Exit, r.Duration.Round(time.Millisecond), r.Timeout))
	s.block("stdout", r.Stdout)
	s.block("stderr", r.Stderr)
	for _, unused := range r.Unused() {
		s.print("      note: " + unused)
	}
	if r.Problem != "" {
		s.print("      " + consequence(r))
	}
}

func (s *simulation) block(name, text string) {
	for line := range strings.Lines(text) {
		s.print(fmt.Sprintf("      %s | %s", name, strings.TrimRight(line, "\r\n")))
	}
}

func consequence(r simcursor.Run) string {
	switch {
	case !r.Failed():
		return r.Problem + ": it denies"
	case r.FailClosed:
		return "failed: " + r.Problem + "; it has failClosed, so that denies"
	}
	return "failed: " + r.Problem + "; Cursor goes on as if it had not answered"
}

// judge remembers what a hook did wrong.
func (s *simulation) judge(r simcursor.Run) {
	name := entryName(r.Event, r.Index) + " " + r.Command + ": "
	if r.Failed() {
		s.report.Failures = append(s.report.Failures, name+r.Problem)
	}
	if r.Unread > 0 && !r.TimedOut {
		s.warn(name + "left input unread; Cursor may get a broken pipe")
	}
	for _, unused := range r.Unused() {
		s.warn(name + unused)
	}
}

func (s *simulation) warn(text string) {
	if !slices.Contains(s.report.Warnings, text) {
		s.report.Warnings = append(s.report.Warnings, text)
	}
}

func (s *simulation) footer() {
	for _, w := range s.report.Warnings {
		s.print("warning: " + w)
	}
	if len(s.report.NotKnown) == 0 {
		return
	}
	s.print("\nNot known of Cursor, or not the same in all versions; `--assume NAME` takes it the other way:")
	for _, u := range s.report.NotKnown {
		s.print(fmt.Sprintf("  %-20s %s", u.Name, u.Other))
	}
}

// unknown is something about Cursor that may be otherwise.
type unknown struct {
	Name   string   `json:"name"`
	Other  string   `json:"other"` // what --assume makes it
	events []string // for whose hooks it matters; without any, only --assume help tells it
	set    func(*simcursor.Config)
}

func unknowns() []unknown {
	stop, prompt, response := []string{"stop"}, []string{"beforeSubmitPrompt"}, []string{"afterAgentResponse"}
	told := []string{"sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure"}
	return []unknown{
		{"old-events", "a Cursor 2.0, which drops files with events that came later", nil, func(c *simcursor.Config) { c.Events = simcursor.OldEvents() }},
		{"byte-order-mark", "standard input begins with one, as on Windows", nil, func(c *simcursor.Config) { c.Options.BOM = true }},
		{"here-document", "standard input is a here-document behind the command", nil, func(c *simcursor.Config) { c.Options.HereDoc = true }},
		{"agent-ids", "conversation_id is agent-<uuid>, as in the CLI", nil, func(c *simcursor.Config) { c.Options.AgentIDs = true }},
		{"expanded-commands", "the hook sees a slash command's text, not what was typed", prompt, func(c *simcursor.Config) { c.Options.ExpandCommands = true }},
		{"quiet-followups", "it does not fire for follow-ups", prompt, func(c *simcursor.Config) { c.Options.QuietFollowups = true }},
		{"kept-loop-count", "loop_count is not set to 0 by a message of the user", stop, func(c *simcursor.Config) { c.Options.KeepLoopCount = true }},
		{"five-followups", "loop_limit is not honoured: five follow-ups, whatever it says", stop, func(c *simcursor.Config) { c.Options.IgnoreLoopLimit = true }},
		{"abort-as-error", "the Stop button is reported as error", stop, func(c *simcursor.Config) { c.Options.AbortAsError = true }},
		{"response-per-turn", "afterAgentResponse fires once a turn, with all messages", response, func(c *simcursor.Config) { c.Options.Responses = simcursor.PerTurn }},
		{"last-response", "afterAgentResponse fires once a turn, with the last message", response, func(c *simcursor.Config) { c.Options.Responses = simcursor.LastOnly }},
		{"late-response", "the last afterAgentResponse fires after stop", response, func(c *simcursor.Config) { c.Options.LateResponse = simcursor.AfterStop }},
		{"ignored-context", "additional_context is not honoured", told, func(c *simcursor.Config) { c.Options.IgnoreContext = true }},
		{"plain-tool-output", "tool_output of a shell command is its output, not JSON", []string{"postToolUse"}, func(c *simcursor.Config) { c.Options.PlainToolOutput = true }},
	}
}

func (e *env) listUnknowns() error {
	for _, u := range unknowns() {
		if err := e.say("%-20s %s", u.Name, u.Other); err != nil {
			return err
		}
	}
	return nil
}

func (s *simulation) assume(names []string) error {
	all := unknowns()
	for _, name := range names {
		i := slices.IndexFunc(all, func(u unknown) bool { return u.Name == name })
		if i < 0 {
			return misuse("nothing is called "+name, "`cursor-ralph simulate --assume help` lists the names")
		}
		all[i].set(&s.cfg)
	}
	return nil
}

// unknowns gives those that matter for the events of the file.
func (s *simulation) unknowns() []unknown {
	var found []unknown
	for _, u := range unknowns() {
		matters := func(x simulatedStep) bool { return slices.Contains(u.events, x.Event) }
		if slices.ContainsFunc(s.report.Steps, matters) {
			found = append(found, u)
		}
	}
	return found
}
