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

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
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

// describe names the first files.
func (l leftOuts) describe() string {
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

// add brings our index up to the work tree. A file that it has stays in it when a rule
// ignores that later, as with any index of git.
func (r *repo) add(ctx context.Context) (found sorted, err error) {
	out, err := r.ours.Run(ctx, "", "ls-files", "-z", "-t", "--modified", "--others", "--exclude-standard")
	if err != nil {
		return found, err
	}
	list, err := r.wanted(ctx, git.Names(out))
	if err != nil {
		return found, err
	}
	found = r.sort(list)
	r.removeStale(found.stale)
	return found, r.update(ctx, found.rest)
}

// wanted drops new files that were ignored when the loop began. The list has git's tag
// before each name.
func (r *repo) wanted(ctx context.Context, tagged []string) (list []string, err error) {
	var untracked []string
	for _, entry := range tagged {
		tag, name, _ := strings.Cut(entry, " ")
		if list = append(list, name); tag == "?" && !strings.HasSuffix(name, "/") {
			untracked = append(untracked, name)
		}
	}
	ignored, err := r.ignoredAtBeginning(ctx, untracked)
	return slices.DeleteFunc(list, func(name string) bool { return ignored[name] }), err
}

// update brings our index up to date with files of the work tree. It may be killed: what
// has been added stays.
func (r *repo) update(ctx context.Context, files []string) error {
	for some := range slices.Chunk(files, atOnce) {
		if _, err := r.ours.Run(ctx, git.Joined(some), "update-index", "--add", "--remove", "--replace", "-z", "--stdin"); err != nil {
			return err
		}
	}
	return nil
}

// sorted are files of the work tree by what can become of them.
type sorted struct {
	rest   []string // that git adds or removes; what is no file any more comes first, so that files below can take its place
	left   leftOuts // that cannot be added
	nested []string // repositories, with a slash at the end
	stale  []string // what a killed restore of this loop left
}

func (r *repo) sort(list []string) (s sorted) {
	links := map[string]string{}
	var there []string
	for _, name := range list {
		switch base := path.Base(name); {
		case strings.HasSuffix(name, "/"):
			s.nested = append(s.nested, name)
		case r.linkAbove(name, links) != "":
		case base == r.beside():
			s.stale = append(s.stale, name)
		case strings.HasPrefix(base, temporary):
		default:
			is, why := r.look(name)
			switch {
			case why != "":
				s.left = append(s.left, leftOut{name, why})
			case is:
				there = append(there, name)
			default:
				s.rest = append(s.rest, name)
			}
		}
	}
	for _, link := range links {
		if link != "" {
			there = append(there, link) // it takes the place of all that was below
		}
	}
	s.rest = append(s.rest, there...)
	return s
}

// removeStale removes what a killed restore left in the work tree. If it cannot, the next
// checkpoint tries again.
func (r *repo) removeStale(stale []string) {
	root, err := os.OpenRoot(r.user.Root)
	if err != nil {
		return
	}
	defer root.Close() // nothing is written to it
	for _, name := range stale {
		_ = root.Remove(filepath.FromSlash(name)) // as above
	}
}

// linkAbove returns the topmost folder above a file that is a link now. What the link
// leads to is no part of the work tree, and git would give up on all files at the first
// such one. It remembers the answers in known.
func (r *repo) linkAbove(name string, known map[string]string) string {
	dir := path.Dir(name)
	if dir == "." {
		return ""
	}
	link, ok := known[dir]
	if !ok {
		link = r.linkAbove(dir, known)
		if info, err := os.Lstat(filepath.Join(r.user.Root, filepath.FromSlash(dir))); link == "" && err == nil && info.Mode()&fs.ModeSymlink != 0 {
			link = dir
		}
		known[dir] = link
	}
	return link
}

// look reports whether a file is there, and why it cannot be added. Git would give up on
// all files at the first such one.
func (r *repo) look(name string) (there bool, why string) {
	file := filepath.Join(r.user.Root, filepath.FromSlash(name))
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return false, ""
	case err != nil:
		return false, unreadable
	case info.IsDir():
		return false, ""
	case info.Mode()&fs.ModeSymlink != 0:
		return true, ""
	case info.Size() > largest:
		return false, fmt.Sprintf("larger than %d MiB", largest>>20)
	case !isReadable(file):
		return false, unreadable
	}
	return true, ""
}

const unreadable = "it cannot be read"

func isReadable(file string) bool {
	f, err := git.OpenFile(file)
	if err != nil {
		return false
	}
	_ = f.Close() // not read
	return true
}
