package review

import (
	"context"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/checkpoint"
	"github.com/cursor-ralph/cursor-ralph/internal/tasks"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Gate is the review as the last gate of a promise; so is how the others went.
func Gate(places checkpoint.Places) func(ctx context.Context, l loop.State, so loop.Verification) loop.Verification {
	return func(ctx context.Context, l loop.State, so loop.Verification) loop.Verification {
		diff, err := changesOf(ctx, places, l)
		if err != nil {
			return so.With(loop.Review{Agent: l.Review, Verdict: loop.ReviewFailed, Why: "what was changed cannot be shown: " + err.Error()})
		}
		return so.With(Run(ctx, Request{Loop: l, So: so, Diff: diff, Tasks: tasksOf(ctx, l), Env: places.Env}))
	}
}

// diffLimit is how long git may take.
const diffLimit = time.Minute

// changesOf finds what changed since the loop began. Without the checkpoint of its
// beginning, that is what was not committed.
func changesOf(ctx context.Context, places checkpoint.Places, l loop.State) (Diff, error) {
	ctx, cancel := context.WithTimeout(ctx, diffLimit)
	defer cancel()
	patch, files, err := places.Since(ctx, l)
	if err == nil || len(files) > 0 {
		d := Diff{Since: "the beginning of the loop", Patch: string(patch), Cut: err != nil}
		for _, f := range files {
			d.Files = append(d.Files, f.Kind()+" "+f.Path)
		}
		return d, nil
	}
	p, cannot := worktree.Diff(ctx, l.Workspace, places.Env)
	return Diff{Since: "the last commit; what was committed since the loop began is not in it", Files: p.Files, Patch: p.Text, Cut: p.Cut}, cannot
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
