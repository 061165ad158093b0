package render

import (
	"fmt"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

type detail struct {
	name, words string
	whole       bool // it is to be copied, so it is never broken
}

const nameWidth = 17

// mostLines is how many lines of one thing are shown; --json has all of it.
const mostLines = 12

func details(e *cli.Env, l loops.Loop) string {
	var b strings.Builder
	screen := e.Screen()
	for _, d := range detailsOf(e, l) {
		if strings.TrimSpace(d.words) == "" {
			continue
		}
		words := text.FixedWidth(cli.Printable(strings.Trim(strings.ReplaceAll(d.words, "\r\n", "\n"), "\n")))
		lines := strings.Split(words, "\n")
		if !d.whole {
			lines = screen.Wrap(words, screen.Width-nameWidth, mostLines)
		}
		fmt.Fprintf(&b, "%-*s%s\n", nameWidth, d.name, strings.Join(lines, "\n"+strings.Repeat(" ", nameWidth)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func detailsOf(e *cli.Env, found loops.Loop) []detail {
	l, s, now := e.View(found.State, found.IsInterrupted()), found.State, e.Now()
	return []detail{
		{"loop", describeID(l), false},
		{"task", l.Prompt, false},
		{"status", describeStatus(l, s), false},
		{"why", l.Reason, false},
		{"iteration", fmt.Sprintf("%d of %d (%d in this session)", l.Iteration, l.MaxIterations, l.SessionIterations), false},
		{"started", moment(now, l.StartedAt), false},
		{"last event", lastEvent(now, l), false},
		{"ended", describeEnd(now, l, s), false},
		{"promise", fmt.Sprintf("%s (%s)", l.CompletionPromise, s.PromiseMatch), false},
		{"tasks", describeTask(s), false},
		{"verify", describeVerify(s, now), false},
		{"not run", s.Misplaced, false},
		{"tool calls", describeTools(l, s), false},
		{"tokens", l.DescribeTokens(), false},
		{"progress", l.LastOutput, false},
		{"stuck", s.Struggle, false},
		{"context to come", strings.Join(s.Context, "\n"), false},
		{"follow-up", describeFollowup(s.Delivery, s.Shown, now), false},
		{"typing", describeTyping(s.Delivery, now), false},
		{"options", otherOptions(s), false},
		{"agent", describeAgent(s.Run), false},
		{"workspace", view.Tilde(l.Workspace, e.HomeFolder()), false},
		{"chat in", l.Host, false},
		{"to go on", describeGoOn(l), true},
	}
}

func otherOptions(s loop.State) string {
	s.Contract, s.Tasks, s.Verify, s.GateTimeout, s.MaxTokens = loop.New().Contract, "", "", 0, 0
	return OptionsOf(s)
}

// describeID names the loop, and says if it is not one of a chat.
func describeID(l view.Loop) string {
	if l.Kind == view.Chat {
		return l.ID
	}
	return fmt.Sprintf("%s (%s)", l.ID, l.Kind)
}

// describeStatus returns how the loop stands and what else is worth knowing.
func describeStatus(l view.Loop, s loop.State) string {
	words := l.Describe()
	if s.Plans() {
		words += ", plan mode"
	}
	if l.Stale {
		words += ", stale: it does not go on by itself"
	}
	if s.Stop && !l.Status.Ended() {
		words += ", ends at the next stop"
	}
	return words
}

func moment(now, at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Local().Format("2006-01-02 15:04") + " (" + view.Ago(now, at) + ")"
}

func lastEvent(now time.Time, l view.Loop) string {
	if l.Status.Ended() {
		return ""
	}
	return moment(now, l.LastEventAt)
}

func describeEnd(now time.Time, l view.Loop, s loop.State) string {
	if l.EndedAt.IsZero() || l.StartedAt.IsZero() {
		return moment(now, l.EndedAt)
	}
	return moment(now, l.EndedAt) + ", after " + text.Duration(s.Worked(l.EndedAt)) + " of work"
}

func describeTask(l loop.State) string {
	c := l.TaskCount
	switch {
	case l.Tasks == "" || c == nil:
		return l.Tasks
	case c.Error != "":
		return l.Tasks + " cannot be used: " + c.Error
	}
	words := fmt.Sprintf("%s, %s done", l.Tasks, c.Progress())
	if c.Began > c.Total {
		words += fmt.Sprintf(", of %d when the loop began", c.Began)
	}
	if c.Next != "" {
		words += "\nnext: " + c.Next
	}
	return words
}

func describeVerify(l loop.State, now time.Time) string {
	if l.Verify == "" {
		return ""
	}
	words := fmt.Sprintf("%s (at most %s)", l.Verify, text.Duration(l.GateLimit()))
	if l.IsVerifying(now) {
		words += "\nit runs now, for " + text.Duration(now.Sub(l.Verifying.Since))
	}
	return words
}

func describeTools(l view.Loop, s loop.State) string {
	if l.ToolCalls == nil {
		return "unknown: the agent only prints"
	}
	return fmt.Sprintf("%d (%d needed)", *l.ToolCalls, s.MinToolCalls)
}

func describeFollowup(d loop.Delivery, shown bool, now time.Time) string {
	if d.IsFollowup() && shown {
		return "sent " + view.Ago(now, d.OpenedAt) + ", nothing shows yet that it arrived"
	}
	if d.IsFollowup() {
		return "sent " + view.Ago(now, d.OpenedAt)
	}
	if d.Again {
		return describeOutcome(loop.FollowupLost)
	}
	return ""
}

func describeOutcome(d loop.Outcome) string {
	switch d {
	case loop.FollowupLost:
		return "lost; it is delivered again"
	case loop.FollowupAgain:
		return "lost, and delivered again"
	}
	return ""
}

func describeTyping(i loop.Delivery, now time.Time) string {
	words := i.Describe(now)
	if words == "" {
		return ""
	}
	return strings.Join(append([]string{words + " (" + view.Ago(now, i.OpenedAt) + ")"}, otherTries(i)...), "\n")
}

// otherTries returns the ways that did not work, unless the outcome lists the same.
func otherTries(i loop.Delivery) []string {
	if string(i.Outcome) == strings.Join(i.Tries, "; ") {
		return nil
	}
	return i.Tries
}

func describeAgent(r loop.Run) string {
	if r.Driver == "" {
		return ""
	}
	words := fmt.Sprintf("%s (%s)", r.Agent, r.Driver)
	if r.Command != "" {
		words = fmt.Sprintf("%s (%s)", r.Command, r.Driver)
	}
	if r.Permissions != "" {
		words += ", permissions " + r.Permissions
	}
	return words
}

// describeGoOn returns what continues the loop; in a chat there is a link too.
func describeGoOn(l view.Loop) string {
	switch {
	case l.Status == view.Waiting && l.WaitingFor == view.ForPermission:
		return "answer in the terminal of the run"
	case l.Status == view.Pending:
		return l.Continue
	case strings.HasPrefix(l.Continue, "/"):
		return l.Continue + "\n" + loop.PromptLink(l.ID)
	}
	return l.Continue
}
