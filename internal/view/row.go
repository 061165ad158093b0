package view

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Row is a loop in a listing.
type Row struct{ ID, Status, Iteration, When, Workspace, Task string }

// Detail is something about a loop: a name, and words of one or several lines.
type Detail struct{ Name, Words string }

// Header names the columns.
func Header() Row { return Row{"ID", "STATUS", "ITERATION", "WHEN", "WORKSPACE", "TASK"} }

// Row returns the loop's row, safe for a terminal. ~ is the home folder.
func (l Loop) Row(now time.Time, home string) Row {
	return Row{l.ID, l.Describe(), l.Progress(), Ago(now, l.At()), plain(Tilde(l.Workspace, home)), plain(l.describeTask())}
}

// describeTask is the task, behind how far its list is.
func (l Loop) describeTask() string {
	if done := l.Tasks.Progress(); done != "" {
		return "[" + done + "] " + l.Prompt
	}
	return l.Prompt
}

// longestCell is how many bytes of a text a row has at most; a screen has fewer.
const longestCell = 2000

// plain is text from outside in one line that is as wide on the screen as we count.
func plain(s string) string {
	return text.Line(text.FixedWidth(text.Escape(loop.Unmarked(text.Line(text.Prefix(s, longestCell))))))
}

// Ago says how long ago something was: days ago after two days. A moment that is not
// known is "-".
func Ago(now, then time.Time) string {
	const day = 24 * time.Hour
	if then.IsZero() {
		return "-"
	}
	d, unit, name := max(0, now.Sub(then)), day, "d"
	switch {
	case d < time.Minute:
		unit, name = time.Second, "s"
	case d < time.Hour:
		unit, name = time.Minute, "m"
	case d < 2*day:
		unit, name = time.Hour, "h"
	}
	return fmt.Sprintf("%d%s ago", d/unit, name)
}

// Tilde writes the home folder in a path as ~.
func Tilde(path, home string) string {
	if home == "" {
		return path
	}
	rest, inside := strings.CutPrefix(path, strings.TrimRight(home, `/\`))
	if inside && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		return "~" + rest
	}
	return path
}
