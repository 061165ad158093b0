package checkpoint

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
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
// checkpoint as it is on disk; the index and HEAD stay. With paths it restores only these
// files, and what is in these folders.
func (p Places) Restore(ctx context.Context, l loop.State, n Name, dry bool, paths ...string) (done Restored, err error) {
	release, err := p.lock(ctx, l)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, release()) }()
	r, err := p.open(l)
	if err != nil {
		return done, err
	}
	all := r.list()
	target, err := Find(all, n)
	if err != nil {
		return done, err
	}
	now, err := r.now(ctx)
	if err != nil {
		return done, err
	}
	if err := r.known(ctx, paths, target.tree, now.tree); err != nil {
		return done, err
	}
	own, changes, err := r.compare(ctx, now.tree, target.tree)
	if err != nil {
		return done, err
	}
	changes = Only(changes, paths)
	f, err := r.openFiles()
	if err != nil {
		return done, err
	}
	defer f.close() // nothing is written to them
	if r.sift(f, target, now, changes, &done); dry || len(done.Changes) == 0 {
		return done, nil
	}
	if done.Before, err = r.save(ctx, nextRestore(all), now); err != nil {
		return done, err
	}
	return r.apply(ctx, own, f, done)
}

// UnknownFileError means that a file or folder is in neither of the compared trees, nor in the work tree.
type UnknownFileError struct{ Path string }

// Error names the file.
func (e *UnknownFileError) Error() string { return "there is no file or folder " + text.Escape(e.Path) }

// known returns an error if a path is in none of some trees or commits, nor in the work tree: it is misspelled.
func (r *repo) known(ctx context.Context, paths []string, trees ...string) error {
	for _, path := range paths {
		_, err := os.Lstat(filepath.Join(r.user.Root, filepath.FromSlash(path)))
		for i := 0; err != nil && i < len(trees); i++ {
			found, failed := r.ours.Run(ctx, "", "ls-tree", "--full-tree", "--name-only", trees[i], "--", path)
			if failed != nil {
				return failed
			}
			if len(found) > 0 {
				err = nil
			}
		}
		if err != nil {
			return &UnknownFileError{path}
		}
	}
	return nil
}

// Only returns the changes to some files, and to what is in some folders; all without
// paths.
func Only(changes []Change, paths []string) []Change {
	if len(paths) == 0 {
		return changes
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		return !slices.ContainsFunc(paths, func(path string) bool {
			return path == "." || path == c.Path || strings.HasPrefix(c.Path, path+"/")
		})
	})
}

// snapshot is the work tree as a tree, and what that does not have.
type snapshot struct {
	tree   string
	left   leftOuts
	nested []string // repositories, with a slash at the end
}

// leftOut names what is there and not in the tree.
func (s snapshot) leftOut() []string {
	names := slices.Clone(s.nested)
	for _, f := range s.left {
		names = append(names, f.name)
	}
	return names
}

// now takes a snapshot of the work tree.
func (r *repo) now(ctx context.Context) (s snapshot, err error) {
	if err := r.begin(ctx); err != nil {
		return s, err
	}
	found, err := r.add(ctx)
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
	return snapshot{tree, found.left, found.nested}, err
}

// begin keeps the rules, and starts our index with the files that the user tracks though
// they are ignored. All others are new to it.
func (r *repo) begin(ctx context.Context) error {
	if err := r.keepRules(ctx); err != nil {
		return err
	}
	if _, err := os.Lstat(r.in("index")); err == nil {
		return nil
	}
	out, err := r.git.Run(ctx, "", "ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
	if err != nil {
		return err
	}
	return r.update(ctx, r.sort(git.Names(out)).rest)
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
func (r *repo) sift(f files, target Checkpoint, now snapshot, changes []Change, done *Restored) {
	k := keeper{repo: r, files: f, target: target, now: map[string]string{}, links: map[string]string{}}
	for _, f := range now.left {
		k.now[f.name] = f.why
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
}

// keeper decides which files a restore must not touch.
type keeper struct {
	*repo
	files  files
	target Checkpoint
	now    map[string]string // why they are not in the snapshot
	links  map[string]string
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
	case isAmong(k.target.leftOut, c.Path):
		return "left out of checkpoint " + string(k.target.Name)
	case k.now[c.Path] != "":
		return k.now[c.Path]
	case c.old.mode == absent && k.linkAbove(c.Path, k.links) == "":
		return k.files.inPlace(c.Path)
	}
	return ""
}

// isAmong reports whether a path is one of the names, or in one of the folders.
func isAmong(names []string, path string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return path == name || strings.HasSuffix(name, "/") && strings.HasPrefix(path, name)
	})
}

// isNested reports whether a path is in a repository of its own below the work tree.
func (r *repo) isNested(path string) bool {
	for dir := filepath.Dir(filepath.FromSlash(path)); dir != "."; dir = filepath.Dir(dir) {
		if git.IsRepository(filepath.Join(r.user.Root, dir)) {
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
