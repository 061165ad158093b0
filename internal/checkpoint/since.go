package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/autoload"
	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Work is what another agent gets to judge what a loop has done.
type Work struct {
	Base    string // what it is compared with, in words
	Changes []Change
	Patch   []byte
	Cut     bool // Patch is not all of it

	// Folder is a copy of the work tree, for the time of the review. It has no
	// repository, no link, nothing that was ignored when the loop began, and no file that agents obey or
	// programs execute on their own.
	Folder string
	Remove func() error // the copy
	// Obeyed are those files, as far as they changed; Ignored, those that git ignores,
	// of which nobody knows whether they changed.
	Obeyed, Ignored []string
	Hidden          []string // what else is neither in the copy nor in the changes, with the reason
}

// Since makes the copy and finds what changed since the loop began. It makes no
// checkpoint.
func (p Places) Since(ctx context.Context, l loop.State) (w Work, err error) {
	release, err := p.lock(ctx, l)
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, release()) }()
	r, err := p.open(l)
	if err != nil {
		return w, err
	}
	base := ""
	if base, w.Base, err = r.base(ctx); err != nil {
		return w, err
	}
	now, err := r.now(ctx)
	if err != nil {
		return w, err
	}
	if r, err = r.withIgnoredSince(ctx, &now); err != nil {
		return w, err
	}
	for _, name := range now.nested {
		w.Hidden = append(w.Hidden, name+" (a repository of its own)")
	}
	for _, f := range now.left {
		w.Hidden = append(w.Hidden, f.name+" ("+f.why+")")
	}
	own, list, err := r.compare(ctx, base, now.tree)
	if err != nil {
		return w, err
	}
	w.Changes = list
	for _, c := range w.Changes {
		if autoload.Has(c.Path) {
			w.Obeyed = append(w.Obeyed, c.Path)
		}
	}
	if w.Ignored, err = r.ignoredAutoload(ctx); err != nil {
		return w, err
	}
	said, failed := patch(ctx, own, base, now.tree)
	w.Patch, w.Cut = said, failed != nil // it is too large; what there is, is shown
	w.Folder, w.Remove, err = r.copy(ctx, p.Copies)
	return w, err
}

// An agent could hide work from its reviewer by having git ignore it. So that gets what
// was not ignored when the loop began, but no large amount of what was built since.
const (
	mostIgnored    = 200       // files
	largestIgnored = 256 << 10 // bytes
)

// withIgnoredSince returns a repository whose index, which is not kept, also has what is
// ignored only by now.
func (r *repo) withIgnoredSince(ctx context.Context, now *snapshot) (*repo, error) {
	out, err := r.ours.Run(ctx, "", "ls-files", "-z", "--others", "--ignored", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	names := git.Names(out)
	ignored, err := r.ignoredAtBeginning(ctx, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return strings.HasSuffix(name, "/") }))
	if err != nil {
		return nil, err
	}
	since := r.sort(slices.DeleteFunc(names, func(name string) bool { return ignored[name] }))
	now.nested, now.left = append(now.nested, since.nested...), append(now.left, since.left...)
	var comes []string
	for _, name := range since.rest {
		if info, err := os.Lstat(filepath.Join(r.user.Root, filepath.FromSlash(name))); err != nil || len(comes) == mostIgnored || info.Size() > largestIgnored {
			now.left = append(now.left, leftOut{name, "ignored since the loop began"})
		} else {
			comes = append(comes, name)
		}
	}
	if len(comes) == 0 {
		return r, nil
	}
	index, err := os.ReadFile(r.in("index")) // #nosec G304 -- in our private folder
	if err = gone(err); err == nil && len(index) > 0 {
		err = os.WriteFile(r.in(reviewIndex), index, 0o600) // #nosec G703 -- as above
	}
	if err != nil {
		return nil, err
	}
	all := *r
	all.ours = r.ours.With([]string{"GIT_INDEX_FILE=" + r.in(reviewIndex)})
	if err := all.update(ctx, comes); err != nil {
		return nil, err
	}
	now.tree, err = all.tree(ctx)
	return &all, err
}

// base returns the tree that the work is compared with.
func (r *repo) base(ctx context.Context) (tree, words string, err error) {
	if first, err := Find(r.list(), After(0)); err == nil {
		return first.tree, "the beginning of the loop", nil
	}
	words = "the last commit; what was committed since the loop began is not in it"
	commit, err := r.user.Head()
	if commit == "" || err != nil {
		return emptyTree(r.user.Setting("extensions.objectformat")), words, err
	}
	out, err := r.ours.Run(ctx, "", "rev-parse", "--verify", commit+"^{tree}")
	return strings.TrimSpace(string(out)), words, err
}

func emptyTree(format string) string {
	if format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// ignoredAutoload lists the ignored files that agents obey or programs execute on their
// own: what a checkpoint does not have. Of a folder that is ignored as a whole it knows
// only the folder's name.
func (r *repo) ignoredAutoload(ctx context.Context) ([]string, error) {
	out, err := r.git.Run(ctx, "", "ls-files", "-z", "--others", "--ignored", "--directory", "--exclude-standard")
	return slices.DeleteFunc(git.Names(out), func(name string) bool { return !autoload.Has(name) }), err
}

// copy writes what our index has into a new folder, read-only. That is not in a folder for temporary files: an
// agent in a sandbox can often write there, and agents also obey what is above the
// folder that they work in.
func (r *repo) copy(ctx context.Context, copies string) (folder string, remove func() error, err error) {
	out, err := r.ours.Run(ctx, "", "ls-files", "-z", "--stage")
	if err != nil {
		return "", nil, err
	}
	var list []file
	for _, entry := range git.Names(out) {
		about, name, _ := strings.Cut(entry, "\t")
		if f := strings.Fields(about); len(f) == 3 && f[0] != submodule && !autoload.Has(name) && isSafe(name) { // mode, object, stage
			list = append(list, file{f[0], f[1], name})
		}
	}
	folder, remove, err = ownfile.TempFolder(copies)
	if err != nil {
		return "", nil, err
	}
	if err := errors.Join(r.checkOut(ctx, r.ours, folder, list), areWhole(folder, list), ownfile.ReadOnly(folder)); err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return folder, remove, nil
}

// areWhole returns an error if a file is not what its object's name says.
func areWhole(folder string, list []file) error {
	for _, f := range list {
		content, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(f.path))) // #nosec G304 -- in our private folder
		if err == nil && blobName(content, len(f.object)) != f.object {
			err = fmt.Errorf("the content of %s in the repository is not what its name %s says", f.path, f.object)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
