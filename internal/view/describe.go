package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Item is a loop in a list of an editor: text without control characters.
type Item struct {
	Group       Group  `json:"group"`
	Title       string `json:"title"`
	Label       string `json:"label"` // the title, shorter: with the description it fits into a side bar
	Description string `json:"description"`
	Tooltip     string `json:"tooltip"`
}

// Group is where a list has a loop.
type Group string

// The groups.
const (
	NeedsUser Group = "needs-you"
	Goes      Group = "running"
	Over      Group = "ended"
)

const (
	titleWidth   = 60  // columns
	labelWidth   = 16  // columns: a side bar shows about 30 at its default width, and how the loop stands belongs there too
	tooltipWidth = 200 // columns, of each line
)

func (l Loop) item() Item {
	i := Item{Group: Goes, Title: Short(text.First(l.Prompt), titleWidth), Description: l.Progress() + " " + l.describe(), Tooltip: l.tooltip()}
	switch {
	case l.NeedsUser:
		i.Group = NeedsUser
	case l.Status.Ended():
		i.Group = Over
	}
	if i.Title == "" {
		i.Title = l.ID
	}
	if done := l.Tasks.Progress(); done != "" {
		i.Description += ", tasks " + done
	}
	i.Label = Short(i.Title, labelWidth)
	return i
}

// Short is text from outside in one line of so many columns, without control
// characters; what is one character on the screen is never parted.
func Short(s string, width int) string {
	return ansi.Truncate(text.Line(text.Visible(loop.Unmarked(text.Prefix(s, longestCell)))), width, "…")
}

// describe is how the loop stands, in lower case: max iterations reached.
func (l Loop) describe() string {
	return strings.ToLower(strings.ReplaceAll(l.Describe(), "_", " "))
}

func (l Loop) tooltip() string {
	lines := []string{
		fmt.Sprintf("Loop %s: %s, iteration %d of %d", l.ID, l.describe(), l.Iteration, l.MaxIterations),
		Short(l.Prompt, tooltipWidth), Short(l.Reason, tooltipWidth),
	}
	if l.Tasks.Progress() != "" && l.Tasks.Next != "" {
		lines = append(lines, "next task: "+Short(l.Tasks.Next, tooltipWidth))
	}
	for _, at := range []struct {
		what string
		time time.Time
	}{{"started", l.StartedAt}, {"last event", l.LastEventAt}, {"ended", l.EndedAt}} {
		if !at.time.IsZero() {
			lines = append(lines, at.what+" "+at.time.Local().Format("2006-01-02 15:04"))
		}
	}
	if words := l.DescribeTokens(); words != "" {
		lines = append(lines, "tokens: "+words)
	}
	lines = append(lines, Short(l.Workspace, tooltipWidth))
	var some []string
	for _, line := range lines {
		if line != "" {
			some = append(some, line)
		}
	}
	return strings.Join(some, "\n")
}

// describe says in a line what an iteration was like.
func (i Iteration) describe() string {
	calls := 0
	for _, n := range i.Tools {
		calls += n
	}
	parts := []string{text.Duration(time.Duration(i.Seconds * float64(time.Second))), text.Count(calls, "tool call"), text.Count(len(i.Files), "file")}
	switch i.Promise {
	case "accepted":
		parts = append(parts, "promise accepted")
	case "refused":
		parts = append(parts, strings.TrimSuffix("promise refused: "+Short(i.Refused, tooltipWidth), ": "))
	}
	if done := i.Tasks.Progress(); done != "" {
		parts = append(parts, "tasks "+done)
	}
	if i.Tokens != nil {
		parts = append(parts, Tokens(i.Tokens)+" tokens")
	}
	return strings.Join(parts, " • ")
}
