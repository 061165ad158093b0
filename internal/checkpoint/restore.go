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
	now, err := r.now(ctx, all)
	if err != nil {
		return done, err
	}
	changes, err := r.changes(ctx, now.tree, target.Commit)
	if err != nil {
		return done, err
	}
	f, err := r.openFiles()
	if err != nil {
		return done, err
	}
	defer f.root.Close() // nothing is written to it
	if err := r.sift(ctx, f, target, now, changes, &done); err != nil || dry || len(done.Changes) == 0 {
		return done, err
	}
	if done.Before, err = r.save(ctx, nextRestore(all), now, all); err != nil {
		return done, err
	}
	if f.modes, err = r.modesOf(done.Changes); err != nil {
		return done, err
	}
	return r.apply(ctx, f, done)
}

// snapshot is the work tree as a tree, and what that does not have.
type snapshot struct {
	tree   string
	left   leftOuts
	nested []string          // repositories, with a slash at the end
	rules  map[string]string // the ignored .gitignore files
}

// now takes a snapshot of the work tree.
func (r *repo) now(ctx context.Context, all []Checkpoint) (s snapshot, err error) {
	if err := gone(os.Remove(r.staged())); err != nil { // of a killed restore
		return s, err
	}
	if err := r.prepare(ctx, len(all) > 0); err != nil {
		return s, err
	}
	found, err := r.add(ctx)
	if err == nil {
		err = r.noteModes(found.there)
	}
	if err != nil && ctx.Err() == nil {
		err = errors.Join(err, r.forgetIndex()) // a crash may have damaged it
	}
	if err != nil {
		return s, err
	}
	tree, err := r.tree(ctx)
	if err != nil {
		err = errors.Join(err, r.forgetIndex()) // it may name objects that are gone
	}
	return snapshot{tree, found.left, found.nested, found.rules}, err
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

// sift parts the changes into those that a restore may make and those it must not.
func (r *repo) sift(ctx context.Context, f files, target Checkpoint, now snapshot, changes []Change, done *Restored) error {
	k, err := r.keeper(ctx, f, target, now, changes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		switch why := k.why(c); {
		case why == "":
			done.Changes = append(done.Changes, c)
		case c.old.mode == absent && f.unchanged(filepath.FromSlash(c.Path), c.new) == nil: // it is as it was
		default:
			done.Kept = append(done.Kept, Kept{c.Path, why})
		}
	}
	return nil
}

// keeper decides which files a restore must not touch.
type keeper struct {
	*repo
	files   files
	target  Checkpoint
	then    memo
	now     map[string]string // why they are not in the snapshot
	ignored map[string]bool   // by the rules of the checkpoint
	links   map[string]bool
}

func (r *repo) keeper(ctx context.Context, f files, target Checkpoint, now snapshot, changes []Change) (k keeper, err error) {
	commit, err := r.ours.Run(ctx, "", "cat-file", "commit", target.Commit)
	if err != nil {
		return k, err
	}
	k = keeper{repo: r, files: f, target: target, then: parseMemo(string(commit)), now: map[string]string{}, links: map[string]bool{}}
	for _, f := range now.left {
		k.now[f.name] = f.why
	}
	var goes []string
	for _, c := range changes {
		if c.new.mode == absent && isSafe(c.Path) {
			goes = append(goes, c.Path)
		}
	}
	k.ignored, err = r.ignored(ctx, target, k.then, goes)
	return k, err
}

// why says why a change must not be made. A file that is there and in no checkpoint is
// ignored.
func (k keeper) why(c Change) string {
	switch {
	case !isSafe(c.Path):
		return "not a valid file name"
	case c.old.mode == submodule || c.new.mode == submodule:
		return "a submodule"
	case k.isNested(c.Path):
		return "in another repository"
	case k.then.hasLeftOut(c.Path):
		return "left out of checkpoint " + string(k.target.Name)
	case k.ignored[c.Path]:
		return "ignored at checkpoint " + string(k.target.Name)
	case k.now[c.Path] != "":
		return k.now[c.Path]
	case c.old.mode == absent && !k.isLinked(path.Dir(c.Path), k.links):
		return k.files.inPlace(c.Path)
	}
	return ""
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
