package cli

import (
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// View returns a loop as every listing and --json shows it. It is interrupted if only
// the archive has it.
func (e *Env) View(l loop.State, interrupted bool) view.Loop {
	gone := l.Outer() && !l.Status.Ended() && !e.Lives(l)
	return view.Of(l, view.Facts{Now: e.Now(), StallAfter: e.Loops.StallAfter, Interrupted: interrupted, Gone: gone})
}

// Views returns loops as every listing and --json shows them, never nil.
func (e *Env) Views(list []loops.Loop) []view.Loop {
	views := []view.Loop{}
	for _, l := range list {
		views = append(views, e.View(l.State, l.IsInterrupted()))
	}
	return views
}

// InFolder is Views, with whether each loop belongs to a folder.
func (e *Env) InFolder(folder string, list []loops.Loop) []view.Loop {
	views := e.Views(list)
	for i := range views {
		here := loops.Within(folder, views[i].Workspace)
		views[i].Here = &here
	}
	return views
}

// Table lists loops below a header. Its lines fit the screen behind an indent.
func (e *Env) Table(list []loops.Loop, indent int) string {
	var rows []view.Row
	for _, l := range e.Views(list) {
		rows = append(rows, l.Row(e.Now(), e.HomeFolder()))
	}
	screen := e.Screen()
	if screen.Width > 0 {
		screen.Width = max(1, screen.Width-indent)
	}
	return strings.TrimSuffix(screen.Table(rows), "\n")
}
