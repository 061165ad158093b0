package git

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mostRefs is the size of a list of packed references.
const mostRefs = 64 << 20

// Head returns the current commit, "" if there is none yet.
func (r *Repo) Head() (string, error) {
	commit, err := head(r.dir, r.common)
	if err != nil {
		return "", fmt.Errorf("the repository of %s: %w", r.Root, err)
	}
	return commit, nil
}

// Nested returns the current commit of a repository below a work tree, "" if there is
// none or it cannot be read.
func Nested(root string) string {
	dir, common, err := folders(root)
	if err != nil {
		return ""
	}
	commit, _ := head(dir, common) // as above
	return commit
}

// head follows HEAD to a commit.
func head(dir, common string) (string, error) {
	at := line(filepath.Join(dir, "HEAD"))
	for range 5 { // as git does
		name, ok := strings.CutPrefix(at, "ref: ")
		switch {
		case !ok && IsCommit(at):
			return at, nil
		case !ok:
			return "", fmt.Errorf("HEAD leads to no commit: %.40q", at)
		case !filepath.IsLocal(filepath.FromSlash(name)) || !strings.HasPrefix(name, "refs/"):
			return "", fmt.Errorf("HEAD leads to no reference: %.40q", name)
		}
		if at = line(filepath.Join(common, filepath.FromSlash(name))); at == "" {
			return packed(common)[name], nil
		}
	}
	return "", errors.New("HEAD leads in circles")
}

// packed returns the references in packed-refs.
func packed(common string) map[string]string {
	found := map[string]string{}
	for l := range strings.Lines(string(start(filepath.Join(common, packedRefs), mostRefs))) {
		if commit, name, ok := strings.Cut(strings.TrimSpace(l), " "); ok && IsCommit(commit) {
			found[name] = commit
		}
	}
	return found
}

const packedRefs = "packed-refs"

// IsCommit reports whether a word can be the name of a commit.
func IsCommit(id string) bool {
	return (len(id) == 40 || len(id) == 64) && strings.Trim(id, "0123456789abcdef") == ""
}

// Refs returns the references in a folder such as refs/cursor-ralph/k7f2m/, without it.
func (r *Repo) Refs(folder string) map[string]string {
	found := map[string]string{}
	for name, commit := range packed(r.common) {
		if name, ok := strings.CutPrefix(name, folder); ok && !strings.Contains(name, "/") {
			found[name] = commit
		}
	}
	entries, _ := os.ReadDir(r.ref(folder)) // there may be none
	for _, e := range entries {
		if commit := line(filepath.Join(r.ref(folder), e.Name())); IsCommit(commit) {
			found[e.Name()] = commit
		}
	}
	return found
}

func (r *Repo) ref(name string) string { return filepath.Join(r.common, filepath.FromSlash(name)) }

// SetRef sets one of our references, in git's way: with a lock file that takes its place.
// Only git gc ever locks one too, for a moment.
func (r *Repo) SetRef(name, commit string) error {
	root, err := os.OpenRoot(r.common) // no link in the repository leads out of it
	if err != nil {
		return err
	}
	defer root.Close() // nothing is written to it
	name = filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(name), 0o777&r.bits()|0o700); err != nil {
		return err
	}
	if err := gone(root.Remove(name + lockSuffix)); err != nil { // of a killed one
		return err
	}
	return r.replace(root, name, commit+"\n")
}

const lockSuffix = ".lock"

// replace keeps git off a file meanwhile.
func (r *Repo) replace(root *os.Root, name, content string) error {
	lock, err := root.OpenFile(name+lockSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666&r.bits())
	if err != nil {
		return err
	}
	_, err = lock.WriteString(content)
	if r.bits()&0o020 != 0 {
		err = errors.Join(err, lock.Chmod(0o666&r.bits()))
	}
	if err = errors.Join(err, lock.Close()); err != nil {
		return errors.Join(err, root.Remove(name+lockSuffix))
	}
	return root.Rename(name+lockSuffix, name)
}

// bits are the permissions in the repository, which may be shared with a group.
func (r *Repo) bits() fs.FileMode {
	switch strings.ToLower(r.settings["core.sharedrepository"]) {
	case "", "umask", "false", "0":
		return 0o755
	}
	return 0o775
}

// RemoveRefs removes the references in a folder, and the folder.
func (r *Repo) RemoveRefs(folder string) error {
	if err := r.unpack(folder); err != nil {
		return err
	}
	root, err := os.OpenRoot(r.common)
	if err != nil {
		return err
	}
	defer root.Close() // nothing is written to it
	for name := range r.Refs(folder) {
		if err := gone(root.Remove(filepath.FromSlash(folder + name))); err != nil {
			return err
		}
	}
	for dir := path.Clean(folder); strings.Contains(dir, "/"); dir = path.Dir(dir) {
		if root.Remove(filepath.FromSlash(dir)) != nil {
			break // another loop has some
		}
	}
	return nil
}

// unpack removes the references in a folder from packed-refs, where git gc puts them.
func (r *Repo) unpack(folder string) error {
	isOne := func(name string) bool { return strings.HasPrefix(name, folder) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(packed(r.common))), isOne) {
		return nil
	}
	root, err := os.OpenRoot(r.common)
	if err != nil {
		return err
	}
	defer root.Close() // nothing is written to it
	var kept strings.Builder
	dropped := false
	for l := range strings.Lines(string(start(filepath.Join(r.common, packedRefs), mostRefs))) {
		if _, name, _ := strings.Cut(l, " "); l[0] != '^' { // that is about the line before
			dropped = isOne(name)
		}
		if !dropped {
			kept.WriteString(l)
		}
	}
	return r.replace(root, packedRefs, kept.String())
}
