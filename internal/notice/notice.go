// Package notice tells people what became of a loop: it makes the words of a notice and sends them to the channels that the
// user has chosen, the desktop, a command, or a service such as ntfy or Slack. Services are shoutrrr's, so cursor-ralph alone
// links this package. No error of it has any part of a channel's URL or command, which may hold passwords.
package notice

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Event is what a notice is about.
type Event string

// The events.
const (
	Ended   Event = "ended"
	Waiting Event = "waiting" // for the user to continue it
	Asking  Event = "asking"  // for the user's permission
	Stalled Event = "stalled"
	Paused  Event = "paused"
	Running Event = "running" // asked for by hand
	Test    Event = "test"

	Undecided Event = "undecided" // a stop could not be decided, so that the loop stands still
)

// Notice is what a channel gets: for a command it is the JSON on standard input. Its texts are single lines without control
// characters, markup and mentions.
type Notice struct {
	Schema        int    `json:"schema"`
	Event         Event  `json:"event"`
	ID            string `json:"id,omitempty"` // the loop's short one
	Status        string `json:"status,omitempty"`
	PauseReason   string `json:"pause_reason,omitempty"`
	Iteration     int    `json:"iteration"`
	MaxIterations int    `json:"max_iterations"`
	Workspace     string `json:"workspace,omitempty"` // the last element of its path
	Task          string `json:"task,omitempty"`      // its first line
	Reason        string `json:"reason,omitempty"`    // only with details
	GoOn          string `json:"go_on,omitempty"`     // only with details: the line or command that continues the loop
	Title         string `json:"title"`
	Text          string `json:"text"`

	local string // what the desktop alone shows after the text
}

// The most characters of the parts of a notice: no desktop shows more.
const (
	nameLimit   = 60
	taskLimit   = 200
	reasonLimit = 400
)

// Of returns the notice about a loop. Without details it says where the loop stands and nothing of what was said.
func Of(l loop.State, stallAfter time.Duration, now time.Time, details bool) Notice {
	n := Notice{Schema: 1, Event: eventOf(l, stallAfter, now), ID: clean(l.ShortID(), nameLimit), Status: clean(string(l.Status), nameLimit), PauseReason: clean(string(l.PauseReason), nameLimit),
		Iteration: l.Iteration(), MaxIterations: l.MaxIterations, Workspace: clean(nameOf(l.Workspace), nameLimit), Task: clean(text.First(l.Prompt), taskLimit)}
	if l.Status != loop.Paused {
		n.PauseReason = ""
	}
	goOn := clean(goOn(l, n.Event, now), reasonLimit)
	if n.local = localText(l, n.Event, goOn); details {
		n.Reason, n.GoOn = clean(l.Reason, reasonLimit), goOn
	}
	n.Title = "Ralph loop"
	if n.Workspace != "" {
		n.Title += " in " + n.Workspace
	}
	n.Text = strings.TrimSpace(n.standing(l, now) + " Loop " + n.ID + ": " + n.Task)
	if n.Reason != "" {
		n.Text += "\n" + n.Reason
	}
	if n.GoOn != "" {
		n.Text += "\n" + "To go on: " + n.GoOn
	}
	return n
}

// OfUndecided returns the notice about a loop whose stop could not be decided.
func OfUndecided(l loop.State, why string, now time.Time) Notice {
	n := Of(l, 0, now, false)
	n.Event, n.local = Undecided, ""
	n.Text = fmt.Sprintf("It stands still in iteration %d of %d: %s. `cursor-ralph doctor` tells more. Loop %s: %s", n.Iteration, n.MaxIterations, clean(why, reasonLimit), n.ID, n.Task)
	return n
}

// OfTest returns a notice that is about no loop.
func OfTest() Notice {
	return Notice{Schema: 1, Event: Test, Title: "cursor-ralph", Text: "This is a test. You get a notice when a loop ends, pauses, stalls or waits for you."}
}

func nameOf(workspace string) string {
	if workspace == "" {
		return ""
	}
	return filepath.Base(workspace)
}

func eventOf(l loop.State, stallAfter time.Duration, now time.Time) Event {
	switch {
	case l.Status.Ended():
		return Ended
	case l.IsStalled(stallAfter, now):
		return Stalled
	case l.IsAsking():
		return Asking
	case l.Status == loop.Waiting:
		return Waiting
	case l.Status == loop.Paused:
		return Paused
	}
	return Running
}

func (n Notice) standing(l loop.State, now time.Time) string {
	after := " after " + text.Count(l.Iterations, "iteration")
	switch n.Event {
	case Stalled:
		return "Stalled" + after + ": no event for " + text.Duration(now.Sub(l.EventAt)) + "."
	case Asking:
		return fmt.Sprintf("Waiting for your permission in iteration %d of %d.", l.Iteration(), l.MaxIterations)
	case Paused:
		if n.PauseReason != "" {
			after += ". Reason: " + n.PauseReason
		}
	}
	return l.Status.Word() + after + "."
}

// goOn is what the user types to continue, empty if there is nothing to type.
func goOn(l loop.State, e Event, now time.Time) string {
	switch {
	case l.Outer() && e == Paused:
		return l.ResumeCommand(now)
	case !l.Outer() && (e == Waiting || e == Paused || e == Stalled):
		return loop.ContinueLine(l.ShortID())
	}
	return ""
}

// localText is for the desktop, which keeps them on this machine.
func localText(l loop.State, e Event, goOn string) string {
	switch {
	case e == Asking:
		return " Answer in the terminal of cursor-ralph run."
	case e == Stalled && l.Outer():
		return " Look at the terminal of cursor-ralph run."
	case goOn == "":
		return ""
	case l.Outer():
		return "\nTo go on: " + goOn
	case e == Stalled:
		return " Look at the chat.\nTo go on, type " + goOn
	}
	return "\nTo go on, type " + goOn + "\n" + clean("or open "+loop.PromptLink(l.ShortID()), reasonLimit)
}

// Desktop is the text for the desktop of this machine.
func (n Notice) Desktop() string {
	words := n.Text
	if n.GoOn != "" {
		words = strings.TrimSuffix(words, "\nTo go on: "+n.GoOn)
	}
	return words + n.local
}

// Message is the text for a service.
func (n Notice) Message() string { return n.Title + "\n" + n.Text }

// clean returns a line that no desktop, shell script or chat service reads as anything but words: no markup, no links with
// another name, no @everyone.
func clean(s string, n int) string {
	return strings.NewReplacer("@", "＠", "[", "［", "*", "∗", "|", "¦").Replace(text.Notice(s, n))
}
