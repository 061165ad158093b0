package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// inPanel are the details that the panel shows first, as far as it has room. The name,
// the task and how the loop stands are in its list too.
func inPanel() []string {
	return []string{"task", "status", "why", "to go on", "iteration", "stuck", "refused", "context to come", "said", "files", "last event", "ended", "workspace", "loop", "verify", "typing"}
}

// ForPanel returns what is known about a loop, and what its history adds, the most
// important first.
func ForPanel(e *cli.Env, l loops.Loop) (shown []view.Detail) {
	place := func(d detail) int {
		if n := slices.Index(inPanel(), d.name); n >= 0 {
			return n
		}
		return len(inPanel())
	}
	all := append(detailsOf(e, l), fromHistory(l.State)...)
	slices.SortStableFunc(all, func(a, b detail) int { return place(a) - place(b) })
	for _, d := range all {
		shown = append(shown, view.Detail{Name: d.name, Words: d.words})
	}
	return shown
}

func fromHistory(s loop.State) []detail {
	var refused, last loop.Iteration
	times, said := 0, ""
	for _, last = range s.History {
		if last.Promise == "refused" {
			times, refused = times+1, last
		}
		if last.Answer != "" {
			said = last.Answer
		}
	}
	all := []detail{{"said", said, false}, {"files", filesOf(last, s.Workspace), false}}
	if times > 0 {
		all = append(all, detail{"refused", text.Count(times, "promise") + ", the last: " + refused.Refused, false})
	}
	return all
}

func filesOf(i loop.Iteration, workspace string) string {
	if len(i.Files) == 0 {
		return ""
	}
	var names []string
	for _, file := range i.Files {
		names = append(names, fromWorkspace(workspace, file))
	}
	return fmt.Sprintf("%d: %s", len(names), strings.Join(names, ", "))
}
