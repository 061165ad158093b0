// Package worktree returns the current state of a workspace: its commit, what git's
// status lists, and the files that edit events named, each with its size and time. It
// only reads, asks git once, and stops after two seconds.
//
// Package loop judges the progress.
package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

const (
	// limit is for one look.
	limit = 2 * time.Second
	// grace is for killing git after the limit.
	grace = 150 * time.Millisecond
	// unused is when our git folder is removed, once another is made.
	unused = 30 * 24 * time.Hour
	// most is the number of files in a Tree or a list.
	most = 200
)

var errSlow = errors.New("it took too long")

// Viewer is what a look needs.
type Viewer struct {
	Folder string   // private, for our git folders
	Env    []string // for git
}

// Tree returns the workspace's current state. It includes the files that edit events
// named, absolute or relative to dir, wherever they are.
//
// Without a repository the Tree has only the edited files; that is not an error. If git
// fails or takes too long, the Tree has no Print either, and the error says why.
func (v Viewer) Tree(ctx context.Context, dir string, edited []string) (loop.Tree, error) {
	t, _, err := v.after(ctx, dir, edited, loop.Tree{})
	return t, err
}

// After returns the state of a loop's workspace after a turn, and the files that
// commits of the turn changed. The errors are those of Tree.
func (v Viewer) After(ctx context.Context, l loop.State, t loop.Turn) (now loop.Tree, committed []string, err error) {
	return v.after(ctx, l.Workspace, slices.Concat(l.Edited, t.Files), l.Tree)
}

type seen struct {
	tree      loop.Tree
	committed []string
	err       error
}

func (v Viewer) after(ctx context.Context, dir string, edited []string, before loop.Tree) (loop.Tree, []string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	all := make(chan seen, 3)
	go func() {
		defer close(all)
		v.look(ctx, dir, edited, before, func(s seen) { all <- s })
	}()
	// A file system may hang, and so may git, so we abandon both at the limit.
	deadline, _ := ctx.Deadline()
	late := time.NewTimer(time.Until(deadline) + grace)
	defer late.Stop()
	last := seen{err: errSlow}
	for {
		select {
		case s, more := <-all:
			if !more {
				return last.tree, last.committed, last.err
			}
			last = s
		case <-late.C:
			return last.tree, last.committed, last.err
		}
	}
}

// look calls report whenever it knows more; the last call counts.
func (v Viewer) look(ctx context.Context, dir string, edited []string, before loop.Tree, report func(seen)) {
	root := git.Root(dir)
	named := absolute(dir, root, edited)
	stamps := stampsOf(named)
	t := loop.Tree{Files: list(stamps, named)}
	switch {
	case ctx.Err() != nil:
		report(seen{t, nil, errSlow})
		return
	case root == "":
		if there := there(stamps, named); len(there) > 0 { // otherwise nothing is known
			t.Print = printOf("", there)
		}
		report(seen{t, nil, nil})
		return
	}
	report(seen{t, nil, errSlow}) // the result if the rest hangs
	if before.Root != root || before.Print == "" {
		before.Head = "" // of nothing that can be compared
	}
	whole, committed, err := v.tree(ctx, root, named, stamps, before)
	if err != nil {
		report(seen{t, nil, err})
		return
	}
	report(seen{whole, committed, nil})
}

// tree returns what git reports, and the named files.
func (v Viewer) tree(ctx context.Context, root string, named []string, stamps map[string]string, before loop.Tree) (t loop.Tree, committed []string, err error) {
	err = v.with(root, func(r repo) error {
		head, err := r.Head()
		if err != nil {
			return err
		}
		var changed, staged []string
		moved := git.IsCommit(before.Head) && before.Head != head
		if moved {
			// What is in the index and not on disk alone was committed since then, or only
			// staged: that counts once more in the next look.
			changed, committed, err = r.status(ctx, before.Head)
		}
		if !moved || err != nil && ctx.Err() == nil { // the commit before may be gone
			changed, staged, err = r.status(ctx, head)
		}
		if err != nil {
			return err
		}
		changed = append(changed, staged...)
		slices.Sort(changed)
		print := there(stamps, named)
		for path, stamp := range stampsOf(changed) {
			stamps[path], print[path] = stamp, stamp
		}
		t = loop.Tree{Root: root, Head: head, Print: printOf(head, print), Files: list(stamps, named, changed)}
		return nil
	})
	if err == nil && ctx.Err() != nil {
		err = errSlow
	}
	return t, committed[:min(len(committed), most)], err
}

// repo is a repository, and our own git folder for it.
type repo struct {
	*git.Repo
	dir string
}

// with uses our own git folder for the repository, which stays: making it takes longer than git.
func (v Viewer) with(root string, do func(repo) error) error {
	r, err := git.Find(root, v.Env)
	if err != nil {
		return err
	}
	dir, err := ownfile.LastingFolder(v.Folder, hashed(root), unused)
	if err != nil {
		return err
	}
	return slow(do(repo{r, dir}))
}

func slow(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: %w", errSlow, err)
	}
	return err
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
