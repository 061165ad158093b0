package run

import (
	"fmt"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// verdict says in one line how a run ended, and below it what to do next. A broken run
// could not save its state: it has stopped, whatever the state says.
func (v *display) verdict(l loop.State, broken bool) string {
	shown := view.Of(l, view.Facts{Now: v.e.Now(), Gone: true})
	mark, how := "✗ not done: ", shown.Describe()
	switch {
	case l.Status == loop.PromiseAccepted:
		mark = "✓ done: "
	case broken:
		how = "stopped"
	}
	parts := []string{fmt.Sprintf("%s%s after %d of %s", mark, how, l.Iterations, text.Count(l.MaxIterations, "iteration")), text.Duration(l.Worked(v.e.Now()))}
	if shown.ToolCalls != nil {
		parts = append(parts, text.Count(*shown.ToolCalls, "tool call"))
	}
	lines := []string{"", strings.Join(append(parts, describeFiles(l)), " · ")}
	if why := whyEnded(l); why != "" && !broken {
		lines = append(lines, "  "+why)
	}
	lines = append(lines, "  report: cursor-ralph report "+shown.ID)
	if shown.Continue != "" && !broken { // else the error says so
		lines = append(lines, "  to go on: "+shown.Continue)
	}
	return strings.Join(lines, "\n")
}

func whyEnded(l loop.State) string {
	switch n := len(l.History); {
	case l.Status != loop.PromiseAccepted:
		return l.Reason
	case n > 0 && l.History[n-1].Warning != "":
		return "warning: " + l.History[n-1].Warning
	}
	return ""
}

func describeFiles(l loop.State) string {
	files := map[string]bool{}
	for _, h := range l.History {
		for _, file := range h.Files {
			files[file] = true
		}
	}
	if len(files) == 0 && l.Tree.Print == "" && l.HidesTools() {
		return "changed files unknown"
	}
	return text.Count(len(files), "file") + " changed"
}
