package worktree

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// After looks at the workspace of a loop after a turn, and lists the files that
// commits of the turn changed. The errors are those of Look and Committed.
func After(ctx context.Context, l loop.State, t loop.Turn, env []string) (now loop.Tree, committed []string, err error) {
	now, err = Look(ctx, l.Workspace, append(l.Edited, t.Files...), env)
	if err == nil && now.Head != l.Tree.Head && l.Tree.Head != "" {
		committed, err = Committed(ctx, now, l.Tree.Head, env)
	}
	return now, committed, err
}
