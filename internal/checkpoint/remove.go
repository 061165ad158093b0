package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Remove removes the checkpoints of a loop, from its repository if that still exists.
// What only they needed, git gc may collect then.
func (p Places) Remove(ctx context.Context, l loop.State) (err error) {
	if _, err := os.Lstat(p.Folder); err != nil {
		return nil // there never were any
	}
	release, err := p.lock(ctx, l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := p.removeRefs(ctx, l); err != nil {
		return err
	}
	return os.RemoveAll(p.dir(l))
}

func (p Places) removeRefs(ctx context.Context, l loop.State) error {
	r, err := p.user(l)
	if errors.Is(err, worktree.ErrNoTree) {
		return nil
	}
	if err != nil {
		return err
	}
	all, err := r.list(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	var commands strings.Builder
	for _, c := range all {
		commands.WriteString("delete " + Ref(l, c.Name) + " " + c.Commit + "\n")
	}
	_, err = r.user.Run(ctx, commands.String(), "update-ref", "--stdin")
	return err
}

// workspaceFile has the workspace of a loop, for Unused.
const workspaceFile = "workspace"

// Unused returns the loops, with id and workspace only, that have made no checkpoint
// since a moment. A loop that was refused after its survey, or taken back before its
// beginning, has no record with which its checkpoint could go.
func (p Places) Unused(since time.Time) (unused []loop.State) {
	entries, _ := os.ReadDir(p.Folder) // there may never have been any
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.IsDir() || !loop.IsShortID(entry.Name()) || !info.ModTime().Before(since) {
			continue
		}
		workspace, _, err := ownfile.Read(filepath.Join(p.Folder, entry.Name(), workspaceFile), 0)
		if err == nil {
			l := loop.State{ID: entry.Name()}
			l.Workspace = string(workspace)
			unused = append(unused, l)
		}
	}
	return unused
}
