package review

import (
	"context"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/tasks"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Gate is the review as the last gate of a promise; so is how the others went.
func Gate(places checkpoint.Places) func(ctx context.Context, l loop.State, so loop.Verification) loop.Verification {
	return func(ctx context.Context, l loop.State, so loop.Verification) loop.Verification {
		w, err := workOf(ctx, places, l)
		if err != nil {
			return so.With(loop.Review{Agent: l.Review, Verdict: loop.ReviewFailed, Why: "what was changed cannot be shown: " + err.Error()})
		}
		r := Run(ctx, Request{Loop: l, So: so, Diff: diffOf(w), Tasks: tasksOf(ctx, l), Folder: w.Folder, Env: places.Env})
		_ = w.Remove() // or the next one does it
		return so.With(r)
	}
}

// workLimit is how long git may take.
const workLimit = time.Minute

func workOf(ctx context.Context, places checkpoint.Places, l loop.State) (checkpoint.Work, error) {
	ctx, cancel := context.WithTimeout(ctx, workLimit)
	defer cancel()
	return places.Since(ctx, l)
}

func diffOf(w checkpoint.Work) Diff {
	d := Diff{Since: w.Base, Patch: string(w.Patch), Cut: w.Cut, Obeyed: w.Obeyed, Ignored: w.Ignored, Hidden: w.Hidden}
	for _, c := range w.Changes {
		d.Files = append(d.Files, c.Kind()+" "+c.Path)
	}
	return d
}

// tasksOf is the task list as it is now, a line each.
func tasksOf(ctx context.Context, l loop.State) string {
	if l.Tasks == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, loop.TasksLimit)
	defer cancel()
	list, err := tasks.Read(ctx, l.Workspace, l.Tasks)
	if err != nil {
		return "cannot be read: " + err.Error()
	}
	var b strings.Builder
	for _, t := range list {
		mark := " "
		if t.Done {
			mark = "x"
		}
		b.WriteString("- [" + mark + "] " + t.Name + "\n")
	}
	return b.String()
}
