package checkpoint

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Restored is what a restore did, or would do.
type Restored struct {
	Before  Checkpoint // of what was there; none for a dry run, and where nothing differs
	Changes []Change   // from what was there to what is there now
	Kept    []Kept
}

// Kept is a file that differs and stays as it is.
type Kept struct{ Path, Why string }

// Restore makes the work tree what it was at a checkpoint, after it has made one of what
// is there. It changes only files that differ, and none that is ignored or not in that
// checkpoint as it is on disk; the index and HEAD stay.
func (p Places) Restore(ctx context.Context, l loop.State, n Name, dry bool) (done Restored, err error) {
	release, err := p.lock(ctx, l)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, release()) }()
	r, err := p.open(ctx, l)
	if err != nil {
		return done, err
	}
	all, err := r.list(ctx)
	if err != nil {
		return done, err
	}
	target, err := Find(all, n)
	if err != nil {
		return done, err
	}
	was, left, err := r.now(ctx, all)
	if err != nil {
		return done, err
	}
	changes, err := r.changes(ctx, was, target.Commit)
	if err != nil {
		return done, err
	}
	if done.Changes, done.Kept = r.touchable(changes, left); dry || len(done.Changes) == 0 {
		return done, nil
	}
	made, err := r.take(ctx, nextRestore(all))
	if err != nil {
		return done, err
	}
	done.Before = made.Checkpoint
	return r.apply(ctx, done)
}

// now writes the work tree as a tree.
func (r *repo) now(ctx context.Context, all []Checkpoint) (tree string, left leftOuts, err error) {
	if err := r.prepare(ctx, len(all) > 0); err != nil {
		return "", nil, err
	}
	if left, err = r.add(ctx); err != nil && ctx.Err() == nil {
		err = errors.Join(err, r.forgetIndex()) // a crash may have damaged it
	}
	if err != nil {
		return "", nil, err
	}
	if tree, err = r.tree(ctx); err != nil {
		err = errors.Join(err, r.forgetIndex()) // it may name objects that are gone
	}
	return tree, left, err
}

// nextRestore returns an unused name.
func nextRestore(all []Checkpoint) Name {
	last := 0
	for _, c := range all {
		if number, ok := strings.CutPrefix(string(c.Name), "r"); ok {
			n, _ := strconv.Atoi(number)
			last = max(last, n)
		}
	}
	return Name("r" + strconv.Itoa(last+1))
}

// touchable parts the changes into those that a restore may make and those it must not.
// A file that is there and in no checkpoint is ignored.
func (r *repo) touchable(changes []Change, left leftOuts) (may []Change, kept []Kept) {
	isLeft, links := map[string]bool{}, map[string]bool{}
	for _, f := range left {
		isLeft[f.name] = true
	}
	for _, c := range changes {
		switch {
		case !isSafe(c.Path):
			kept = append(kept, Kept{c.Path, "no name for a file of a work tree"})
		case c.old.mode == submodule || c.new.mode == submodule:
			kept = append(kept, Kept{c.Path, "a submodule"})
		case r.isNested(c.Path):
			kept = append(kept, Kept{c.Path, "in another repository"})
		case isLeft[c.Path]:
			kept = append(kept, Kept{c.Path, "too large or unreadable"})
		case c.old.mode == absent && !r.isLinked(path.Dir(c.Path), links) && r.isFile(c.Path):
			kept = append(kept, Kept{c.Path, "ignored"})
		default:
			may = append(may, c)
		}
	}
	return may, kept
}

func (r *repo) isFile(name string) bool {
	info, err := os.Lstat(filepath.Join(r.user.Root(), filepath.FromSlash(name)))
	return err == nil && !info.IsDir()
}

// isNested reports whether a path is in a repository of its own below the work tree.
func (r *repo) isNested(path string) bool {
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		if worktree.IsRepository(filepath.Join(r.user.Root(), dir)) {
			return true
		}
	}
	return false
}

// isSafe reports whether a path of a tree can be a file of the work tree. The references
// are in the repository, where anybody may have made another tree of them.
func isSafe(path string) bool {
	if !filepath.IsLocal(filepath.FromSlash(path)) || runtime.GOOS == "windows" && strings.ContainsAny(path, `\:`) {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		switch strings.TrimRight(strings.ToLower(strings.Map(visible, part)), ". ") {
		case "", ".git", "git~1":
			return false
		}
	}
	return true
}

// visible drops the characters that some file systems ignore in names.
func visible(c rune) rune {
	if c >= 0x200b && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x2060 && c <= 0x206f || c == 0xfeff {
		return -1
	}
	return c
}
