package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
)

const (
	// largest is the size of a file that is kept.
	largest = 100 << 20
	// atOnce is how many files are added in one step, so that one that is killed does
	// not lose all.
	atOnce = 10000
)

// leftOut is a file that is not in a checkpoint as it is on disk.
type leftOut struct{ name, why string }

type leftOuts []leftOut

// words names the first files.
func (l leftOuts) words() string {
	if len(l) == 0 {
		return ""
	}
	const named = 3
	var parts []string
	for _, f := range l[:min(named, len(l))] {
		parts = append(parts, fmt.Sprintf("%s (%s)", text.Escape(f.name), f.why))
	}
	said := "not in the checkpoint: " + strings.Join(parts, ", ")
	if len(l) > named {
		said += fmt.Sprintf(" and %d more", len(l)-named)
	}
	return said
}

// add brings our index up to the work tree.
func (r *repo) add(ctx context.Context) (found sorted, err error) {
	for range 2 {
		out, err := r.ours.Run(ctx, "", "ls-files", "-z", "--modified", "--others", "--exclude-standard", "--exclude=!"+ignoreFile)
		if err != nil {
			return found, err
		}
		list, rules, err := r.takeRules(ctx, names(out))
		if err != nil {
			return found, err
		}
		found = r.sort(list)
		found.rules = rules
		r.removeStale(found.stale)
		if err := r.remove(ctx, found.gone); err != nil {
			return found, err
		}
		if len(found.gone) == 0 || r.settings["core.ignorecase"] != "true" {
			break
		}
		// Git takes readme for README as long as it is in the index.
	}
	if err := r.update(ctx, found.there); err != nil {
		return found, err
	}
	return found, r.dropIgnored(ctx)
}

// update adds files to our index. It may be killed: what has been added stays.
func (r *repo) update(ctx context.Context, files []string) error {
	for some := range slices.Chunk(files, atOnce) {
		if _, err := r.ours.Run(ctx, joined(some), "update-index", "-z", "--add", "--remove", "--replace", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

// remove removes files from our index.
func (r *repo) remove(ctx context.Context, files []string) error {
	if len(files) == 0 {
		return nil
	}
	_, err := r.ours.Run(ctx, joined(files), "update-index", "-z", "--force-remove", "--stdin")
	return err
}

// sorted are files of the work tree by what can become of them.
type sorted struct {
	there, gone []string
	left        leftOuts          // that cannot be added
	nested      []string          // repositories, with a slash at the end
	stale       []string          // what a killed restore of this loop left
	rules       map[string]string // the ignored .gitignore files
}

func (r *repo) sort(list []string) (s sorted) {
	links := map[string]bool{}
	for _, name := range list {
		if strings.HasSuffix(name, "/") {
			s.nested = append(s.nested, name)
			continue
		}
		if r.isLinked(path.Dir(name), links) {
			s.gone = append(s.gone, name)
			continue
		}
		if base := path.Base(name); strings.HasPrefix(base, temporary) {
			if base == r.beside() {
				s.stale = append(s.stale, name)
			}
			continue
		}
		is, why := r.look(name)
		switch {
		case why != "":
			s.left = append(s.left, leftOut{name, why})
		case is:
			s.there = append(s.there, name)
		default:
			s.gone = append(s.gone, name)
		}
	}
	return s
}

// removeStale removes what a killed restore left in the work tree. If it cannot, the next
// checkpoint tries again.
func (r *repo) removeStale(stale []string) {
	root, err := os.OpenRoot(r.user.Root())
	if err != nil {
		return
	}
	defer root.Close() // nothing is written to it
	for _, name := range stale {
		_ = root.Remove(filepath.FromSlash(name)) // as above
	}
}

// isLinked reports whether a folder, or one above it, is a link now. What the link leads
// to is no part of the work tree, and git would give up on all files at the first such
// one. It remembers the answers in known.
func (r *repo) isLinked(dir string, known map[string]bool) bool {
	if dir == "." {
		return false
	}
	linked, ok := known[dir]
	if !ok {
		info, err := os.Lstat(filepath.Join(r.user.Root(), filepath.FromSlash(dir)))
		linked = err == nil && info.Mode()&fs.ModeSymlink != 0 || r.isLinked(path.Dir(dir), known)
		known[dir] = linked
	}
	return linked
}

// look reports whether a file is there, and why it cannot be added. Git would give up on
// all files at the first such one.
func (r *repo) look(name string) (there bool, why string) {
	file := filepath.Join(r.user.Root(), filepath.FromSlash(name))
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return false, ""
	case err != nil:
		return false, unreadable
	case info.IsDir():
		return worktree.IsRepository(file), "" // a submodule, or a folder in the place of a file
	case info.Mode()&fs.ModeSymlink != 0:
		return true, ""
	case info.Size() > largest:
		return false, fmt.Sprintf("larger than %d MiB", largest>>20)
	case !worktree.IsReadable(file):
		return false, unreadable
	}
	return true, ""
}

const unreadable = "it cannot be read"

// dropIgnored removes from our index what the user does not track and ignores now.
func (r *repo) dropIgnored(ctx context.Context) error {
	out, err := r.ours.Run(ctx, "", "ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
	if err != nil || len(out) == 0 {
		return err
	}
	tracked, err := r.user.Run(ctx, "", "ls-files", "-z", "--cached")
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, name := range names(tracked) {
		known[name] = true
	}
	ignored := slices.DeleteFunc(names(out), func(name string) bool { return known[name] })
	return r.remove(ctx, ignored)
}
