// Package worktree tells what a workspace looks like at one moment: to git, and
// in the files that edit events named. It only reads, runs nothing that a
// repository asks for, and gives up after two seconds.
//
// It is not where progress is judged (package loop), and no git library: it
// knows one status and one list of names.
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
	// limit is how long Look may take, and Committed.
	limit = 2 * time.Second
	// grace is what there is to kill git in after that.
	grace = 150 * time.Millisecond
	// most is how many files a Tree or a list has.
	most = 200
)

var (
	errSlow   = errors.New("it took too long")
	errNoTree = errors.New("no git work tree")
)

// Look tells what the workspace looks like now. The content of the files that
// edit events named, absolute or relative to dir, counts wherever they lie.
//
// Where no repository is there is no error, and the Tree has the edited files
// alone. So it is when git cannot be asked or takes too long, but then the Tree
// has no Print either, and the error says why.
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
	// A file may hang as well as git, so the rest is left behind at the limit.
	late := time.NewTimer(untilDone(ctx) + grace)
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

// untilDone is what is left of a context with a deadline.
func untilDone(ctx context.Context) time.Duration {
	deadline, _ := ctx.Deadline()
	return time.Until(deadline)
}

// look tells what it has seen each time that it knows more; the last counts.
func look(ctx context.Context, dir string, edited, env []string, tell func(loop.Tree, error)) {
	root := repository(dir)
	c := newContents(ctx)
	named := absolute(dir, root, edited)
	c.read(named...)
	t := loop.Tree{Files: c.list(named)}
	switch {
	case ctx.Err() != nil:
		tell(t, errSlow)
		return
	case root == "":
		if there := c.there(named); len(there) > 0 { // else nothing is known
			t.Print = printOf("", there)
		}
		tell(t, nil)
		return
	}
	tell(t, errSlow) // which stands if what follows hangs
	whole, err := c.tree(ctx, root, env, named)
	if err != nil {
		tell(t, err)
		return
	}
	tell(whole, nil)
}

// tree is what git says, with the files that were named.
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
	untold, err := g.untold(ctx, named, changed)
	if err != nil {
		return loop.Tree{}, err
	}
	if ctx.Err() != nil {
		return loop.Tree{}, errSlow
	}
	print := c.there(untold)
	for _, path := range changed {
		print[path] = c.of[path]
	}
	return loop.Tree{Root: root, Head: head, Print: printOf(head, print), Files: c.list(named, changed)}, nil
}

// absolute makes paths absolute, without what is said twice. One that goes to
// root by another way, through a symbolic link, is made one below root.
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

// below gives the path relative to a folder that it lies in.
func below(folder, path string) (string, bool) {
	if !strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator)) {
		return "", false
	}
	rel, err := filepath.Rel(folder, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// printOf is the same for the same content.
func printOf(head string, files map[string]string) string {
	all := strings.Builder{}
	all.WriteString(head)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		all.WriteString("\x00" + path + "\x00" + files[path])
	}
	return hashed(all.String())
}

// Committed lists the files, absolute, that commits between two heads changed:
// the one before, empty where there was no commit yet, and the Tree's. It is
// bounded as Look is; who calls both gives them one context.
func Committed(ctx context.Context, t loop.Tree, before string, env []string) ([]string, error) {
	switch {
	case t.Root == "":
		return nil, errNoTree
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
