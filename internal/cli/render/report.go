package render

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// The sizes of a report, which has to fit into a pull request.
const (
	reportedFiles = 200
	reportedFacts = 50
	reportedTask  = 10_000 // characters
	reportedLine  = 300    // characters
)

// Report prints Markdown about a loop, for a pull request. Text of the agent, the user
// or a program is always in code, so that no site makes links, mentions or HTML of it.
func Report(_ context.Context, e *cli.Env, args []string) error {
	found, err := Chosen(e, args)
	if err != nil {
		return err
	}
	found = withTurn(e.Store, found)
	l, shown := found.State, e.View(found.State, found.IsInterrupted())
	if e.IsSet("json") {
		return e.JSON(reportObject(l, shown, e.Now()))
	}
	if e.IsSet("html") {
		return pageOf(e.Stdout, l, shown, detailsOf(e, found))
	}
	_, err = io.WriteString(e.Stdout, reportOf(l, shown, e.Now()))
	return err
}

// Record returns what report --json prints of a loop, and the JSON of --on-end is.
func Record(e *cli.Env, l loop.State) any {
	return reportObject(l, e.View(l, false), e.Now())
}

type reported struct {
	Schema         int              `json:"schema"`
	Loop           view.Loop        `json:"loop"`
	Worked         float64          `json:"worked_seconds,omitempty"`
	Files          []fact           `json:"files,omitempty"`
	FailedCommands []fact           `json:"failed_commands,omitempty"`
	Refused        []fact           `json:"refused_promises,omitempty"`
	Verifications  []fact           `json:"verifications,omitempty"`
	Reviews        []fact           `json:"reviews,omitempty"`
	Findings       []fact           `json:"findings,omitempty"`
	Warnings       []fact           `json:"warnings,omitempty"`
	Changes        []fact           `json:"changes,omitempty"`
	Context        []fact           `json:"context,omitempty"`
	Notes          []fact           `json:"notes,omitempty"`
	Struggles      []fact           `json:"struggles,omitempty"`
	Errors         []fact           `json:"errors,omitempty"`
	Iterations     []view.Iteration `json:"iterations"`
}

func reportObject(l loop.State, shown view.Loop, now time.Time) reported {
	all := l.History
	r := reported{Schema: view.Schema, Loop: shown, Files: files(l, all), FailedCommands: facts(all, failed), Refused: facts(all, refusals),
		Verifications: facts(all, verdicts), Reviews: facts(all, reviews), Findings: facts(all, findings), Warnings: facts(all, warnings), Changes: facts(withChanges(l), changes), Context: facts(all, contexts), Notes: facts(all, notes), Struggles: facts(all, struggles),
		Errors: facts(all, errorsOf), Iterations: view.Iterations(all)}
	if !l.StartedAt.IsZero() {
		r.Worked = l.Worked(endOf(l, now)).Seconds()
	}
	return r
}

func endOf(l loop.State, now time.Time) time.Time {
	if l.Status.Ended() && !l.EndedAt.IsZero() {
		return l.EndedAt
	}
	return now
}

func reportOf(l loop.State, shown view.Loop, now time.Time) string {
	all := l.History
	return strings.Join(slices.DeleteFunc([]string{
		"# Ralph loop\n\n" + outcome(l, shown, now),
		section("Task", block(l.Prompt, reportedTask)),
		section("Tasks", block(describeTask(l), reportedTask)),
		section("Changed files", bullets(files(l, all), reportedFiles)),
		section("Failed commands", bullets(facts(all, failed), reportedFacts)),
		section("Refused promises", bullets(facts(all, refusals), reportedFacts)),
		section("Verification", verifications(l, all)),
		section("Review", reviewed(l, all)),
		section("Warnings", bullets(facts(all, warnings), reportedFacts)),
		section("Changes of limits and gates", bullets(facts(withChanges(l), changes), reportedFacts)),
		section("Added context", bullets(facts(all, contexts), reportedFacts)),
		section("The agent's notes", bullets(facts(all, notes), reportedFacts)),
		section("Struggle", bullets(facts(all, struggles), reportedFacts)),
		section("Errors", bullets(facts(all, errorsOf), reportedFacts)),
		section("Iterations", turns(all)),
		section("Checkpoints", diffs(l, all)),
		section("The agent's last words", block(lastWords(all), reportedTask)),
	}, func(part string) bool { return part == "" }), "\n")
}

func outcome(l loop.State, shown view.Loop, now time.Time) string {
	var b strings.Builder
	end := endOf(l, now)
	fmt.Fprintf(&b, "**%s** after %d of at most %s", code(shown.Describe()), l.Iterations, text.Count(l.MaxIterations, "iteration"))
	if !l.StartedAt.IsZero() {
		const layout = "2006-01-02 15:04"
		fmt.Fprintf(&b, ", from %s to %s UTC (%s)", l.StartedAt.UTC().Format(layout), end.UTC().Format(layout), text.Duration(l.Worked(end)))
	}
	if shown.ToolCalls == nil {
		b.WriteString(", tool calls unknown")
	} else {
		fmt.Fprintf(&b, ", with %s", text.Count(*shown.ToolCalls, "tool call"))
	}
	if shown.Tokens != nil {
		b.WriteString(", tokens: " + shown.DescribeTokens())
	}
	b.WriteString(".\n")
	if shown.Reason != "" {
		b.WriteString("\nWhy: " + code(shown.Reason) + "\n")
	}
	return b.String()
}

func verifications(l loop.State, all []loop.Iteration) string {
	var b strings.Builder
	if l.Verify != "" {
		b.WriteString("A promise counts once this succeeds: " + code(l.Verify) + "\n\n")
	}
	b.WriteString(bullets(facts(all, verdicts), reportedFacts))
	return b.String()
}

func reviewed(l loop.State, all []loop.Iteration) string {
	var b strings.Builder
	if l.Review != "" {
		b.WriteString("A promise counts once " + code(l.Review) + " finds nothing wrong.\n\n")
	}
	b.WriteString(bullets(facts(all, reviews), reportedFacts))
	if all := facts(all, findings); len(all) > 0 {
		b.WriteString("\nFindings:\n\n" + bullets(all, reportedFacts))
	}
	return b.String()
}

func describeVerdict(v loop.Verification) string {
	words := fmt.Sprintf("exit %d after %.1f s", v.Exit, v.Seconds)
	switch {
	case v.Passed || v.Gate == loop.GateReview:
		return "passed: " + words
	case v.Why != "":
		return "did not succeed: " + v.Why
	}
	return "failed: " + words
}

// turns is a table. A bar in the name of a tool would part its cells.
func turns(all []loop.Iteration) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	head, rule := "", ""
	if showsTokens(all) {
		head, rule = " tokens |", "--:|"
	}
	b.WriteString("| # | seconds | tools | files | errors | promise |" + head + "\n|--:|--:|---|--:|--:|---|" + rule + "\n")
	for _, h := range all {
		used := "-"
		if len(h.Tools) > 0 {
			used = strings.ReplaceAll(code(tools(h.Tools)), "|", `\u007c`)
		}
		fmt.Fprintf(&b, "| %d | %.1f | %s | %d | %d | %s |", h.Number, h.Seconds, used, len(h.Files), len(h.Errors),
			strings.ReplaceAll(code(promiseOf(h)), "|", `\u007c`))
		if head != "" {
			b.WriteString(" " + view.Tokens(h.Tokens) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func lastWords(all []loop.Iteration) string {
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].Answer
}

func diffs(l loop.State, all []loop.Iteration) string {
	var b strings.Builder
	for _, h := range all {
		if h.Checkpoint > 0 {
			fmt.Fprintf(&b, "- iteration %d: %s, %s\n", h.Number, text.Count(len(h.Files), "changed file"), code(fmt.Sprintf("cursor-ralph diff %s %d", l.ShortID(), h.Checkpoint)))
		}
	}
	return b.String()
}
