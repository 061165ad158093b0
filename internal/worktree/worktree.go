// Package worktree returns the current state of a workspace: what git reports, and the
// files that edit events named. It only reads, runs no program that a repository
// configures, and stops after two seconds.
//
// Package loop judges the progress.
package worktree

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

const (
	// limit is for Look and for Committed.
	limit = 2 * time.Second
	// grace is for killing git after the limit.
	grace = 150 * time.Millisecond
	// most is the number of files in a Tree or a list.
	most = 200
)

var errSlow = errors.New("it took too long")

// ErrNoTree is returned where there is no work tree.
var ErrNoTree = errors.New("no git work tree")

// Look returns the workspace's current state. It includes the files that edit events
// named, absolute or relative to dir, wherever they are.
//
// Without a repository the Tree has only the edited files; that is not an error. If git
// fails or takes too long, the Tree has no Print either, and the error says why.
func Look(ctx context.Context, dir string, edited []string, env []string) (loop.Tree, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type seen struct {
		tree loop.Tree
		err  error
	}
	all := make(chan seen, 3)
	go func() {
		defer close(all)
		look(ctx, dir, edited, env, func(t loop.Tree, err error) { all <- seen{t, err} })
	}()
	// Reading a file may hang, and so may git, so we abandon both at the limit.
	deadline, _ := ctx.Deadline()
	late := time.NewTimer(time.Until(deadline) + grace)
	defer late.Stop()
	last := seen{err: errSlow}
	for {
		select {
		case s, more := <-all:
			if !more {
				return last.tree, last.err
			}
			last = s
		case <-late.C:
			return last.tree, last.err
		}
	}
}

// look calls report whenever it knows more; the last call counts.
func look(ctx context.Context, dir string, edited, env []string, report func(loop.Tree, error)) {
	root := Root(dir)
	c := newContents(ctx)
	named := absolute(dir, root, edited)
	c.read(named...)
	t := loop.Tree{Files: c.list(named)}
	switch {
	case ctx.Err() != nil:
		report(t, errSlow)
		return
	case root == "":
		if there := c.there(named); len(there) > 0 { // otherwise nothing is known
			t.Print = printOf("", there)
		}
		report(t, nil)
		return
	}
	report(t, errSlow) // the result if the rest hangs
	whole, err := c.tree(ctx, root, env, named)
	if err != nil {
		report(t, err)
		return
	}
	report(whole, nil)
}

// tree returns what git reports, and the named files.
func (c *contents) tree(ctx context.Context, root string, env, named []string) (loop.Tree, error) {
	g, err := newGit(ctx, root, env)
	if err != nil {
		return loop.Tree{}, err
	}
	head, changed, err := g.status(ctx)
	if err != nil {
		return loop.Tree{}, err
	}
	c.read(changed...)
	unseen, err := g.unseen(ctx, named, changed)
	if err != nil {
		return loop.Tree{}, err
	}
	if ctx.Err() != nil {
		return loop.Tree{}, errSlow
	}
	print := c.there(unseen)
	for _, path := range changed {
		print[path] = c.of[path]
	}
	return loop.Tree{Root: root, Head: head, Print: printOf(head, print), Files: c.list(named, changed)}, nil
}

// absolute makes paths absolute and unique. A path to root through a symbolic
// link becomes one below root.
func absolute(dir, root string, edited []string) (paths []string) {
	real, err := filepath.EvalSymlinks(root)
	for _, path := range edited {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		path = filepath.Clean(path)
		if rel, ok := below(real, path); ok && err == nil && root != "" {
			path = filepath.Join(root, rel)
		}
		if !slices.Contains(paths, path) && len(paths) < most {
			paths = append(paths, path)
		}
	}
	return paths
}

// below returns the path relative to a folder that contains it.
func below(folder, path string) (string, bool) {
	if !strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator)) {
		return "", false
	}
	rel, err := filepath.Rel(folder, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// printOf returns a fingerprint of the content.
func printOf(head string, files map[string]string) string {
	all := strings.Builder{}
	all.WriteString(head)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		all.WriteString("\x00" + path + "\x00" + files[path])
	}
	return hashed(all.String())
}

// After returns the state of a loop's workspace after a turn, and the files that
// commits of the turn changed. The errors are those of Look and Committed.
func After(ctx context.Context, l loop.State, t loop.Turn, env []string) (now loop.Tree, committed []string, err error) {
	now, err = Look(ctx, l.Workspace, slices.Concat(l.Edited, t.Files), env)
	if err == nil && now.Head != l.Tree.Head && l.Tree.Head != "" {
		committed, err = Committed(ctx, now, l.Tree.Head, env)
	}
	return now, committed, err
}

// Committed lists the files, absolute, that differ between the commit before,
// empty if there was none yet, and the Tree's. It has the same limit as Look; to
// limit both together, use one context.
func Committed(ctx context.Context, t loop.Tree, before string, env []string) ([]string, error) {
	switch {
	case t.Root == "":
		return nil, ErrNoTree
	case t.Head == before:
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	g, err := findGit(t.Root, env)
	if err != nil {
		return nil, err
	}
	return g.between(ctx, before, t.Head)
}
