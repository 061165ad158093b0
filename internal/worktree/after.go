package worktree

import (
	"context"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// After returns the state of a loop's workspace after a turn, and the files that
// commits of the turn changed. The errors are those of Look and Committed.
func After(ctx context.Context, l loop.State, t loop.Turn, env []string) (now loop.Tree, committed []string, err error) {
	now, err = Look(ctx, l.Workspace, slices.Concat(l.Edited, t.Files), env)
	if err == nil && now.Head != l.Tree.Head && l.Tree.Head != "" {
		committed, err = Committed(ctx, now, l.Tree.Head, env)
	}
	return now, committed, err
}
