package view

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// Row is a loop in a listing.
type Row struct{ ID, Status, Iteration, When, Workspace, Task string }

// Header names the columns.
func Header() Row { return Row{"ID", "STATUS", "ITERATION", "WHEN", "WORKSPACE", "TASK"} }

// Row returns the loop's row: ~ is the home folder.
func (l Loop) Row(now time.Time, home string) Row {
	return Row{l.ID, l.Words(), l.Progress(), Ago(now, l.At()), Tilde(l.Workspace, home), text.Line(text.Prefix(l.Prompt, longestTask))}
}

// longestTask is how many bytes of a task a row has at most; a screen has fewer.
const longestTask = 2000

// Ago says how long ago something was; days ago after two days, a date after a
// month. A moment that is not known is "-".
func Ago(now, then time.Time) string {
	const day = 24 * time.Hour
	d := max(0, now.Sub(then))
	units := []struct {
		below, unit time.Duration
		name        string
	}{{time.Minute, time.Second, "s"}, {time.Hour, time.Minute, "m"}, {2 * day, time.Hour, "h"}, {30 * day, day, "d"}}
	if then.IsZero() {
		return "-"
	}
	for _, u := range units {
		if d < u.below {
			return fmt.Sprintf("%d%s ago", d/u.unit, u.name)
		}
	}
	return then.Local().Format(time.DateOnly)
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
