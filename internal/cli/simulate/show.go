package simulate

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

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
	Missed     string         `json:"missed,omitempty"` // stdout that was lost
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
		fmt.Fprintln(s.e.Stdout, cli.Printable(text))
	}
}

func (s *simulation) header() {
	s.print(fmt.Sprintf("%s: used, as the %s's", s.report.File, s.report.Place))
	s.print("The hooks of an event run at the same time; their answers are merged in the order shown.\n")
}

func (s *simulation) observe(x simcursor.Entry) {
	who := map[simcursor.Kind]string{
		simcursor.UserMessage: "user", simcursor.FollowupMessage: "cursor", simcursor.AssistantText: "agent",
		simcursor.ModelMessage: "model", simcursor.ToolCall: "tool", simcursor.TurnEnd: "turn", simcursor.ShownToUser: "cursor",
	}[x.Kind]
	text := x.Text
	switch {
	case who == "", x.Kind == simcursor.ModelMessage && text == s.typed:
		return
	case x.Kind == simcursor.UserMessage, x.Kind == simcursor.FollowupMessage:
		s.typed = text
	case x.Kind == simcursor.ToolCall:
		text = s.callWords(x)
	case x.Kind == simcursor.ShownToUser:
		text = "shows the user: " + text
	}
	s.step(simulatedStep{Kind: who, Turn: x.Turn, Text: text})
	s.line(who, headline(text))
}

func (s *simulation) callWords(x simcursor.Entry) string {
	words := x.Name
	if x.Text != "" {
		words += ": " + headline(strings.TrimPrefix(x.Text, s.cfg.Workspace+string(filepath.Separator)))
	}
	if x.Exit == -1 {
		words += " (" + strings.TrimSuffix(x.Output, ": ") + ")"
	}
	return words
}

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
		Seconds: r.Duration.Seconds(), Stdout: r.Stdout, Stderr: r.Stderr, Missed: r.Missed, Answer: r.Answer, Problem: r.Problem, Unused: r.Unused()}
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
	s.print(fmt.Sprintf("      exit %d after %s (timeout %s)", r.Exit, r.Duration.Round(time.Millisecond), text.Exactly(r.Timeout)))
	s.block("stdout", r.Stdout)
	s.block("stderr", r.Stderr)
	s.block("lost", r.Missed)
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
		return r.Problem + ": denied"
	case r.FailClosed:
		return "failed: " + r.Problem + "; denied, because the entry has failClosed"
	}
	return "failed: " + r.Problem + "; Cursor goes on as if there were no answer"
}

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
	s.print("\nUnknown about Cursor, or different between versions; `--assume NAME` assumes the opposite:")
	for _, u := range s.report.NotKnown {
		s.print(fmt.Sprintf("  %-22s %s", u.Name, u.Other))
	}
}
