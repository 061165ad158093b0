package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// ErrNoTree is returned where there is no work tree.
var ErrNoTree = errors.New("no git work tree")

// Repo is the repository of a work tree.
type Repo struct {
	Root string // the work tree's folder

	dir      string // its git folder: HEAD and the index
	common   string // the same, except in a linked work tree: objects and references
	settings map[string]string
	program  string
	env      []string
}

// Find returns the repository of the work tree around a folder. It starts no program.
func Find(dir string, env []string) (*Repo, error) {
	root := Root(dir)
	if root == "" {
		return nil, ErrNoTree
	}
	program, err := lookPath(env)
	if err != nil {
		return nil, err
	}
	r := &Repo{Root: root, program: program, env: env}
	if r.dir, r.common, err = folders(root); err != nil {
		return nil, err
	}
	r.settings = settings(string(start(filepath.Join(r.common, "config"), mostConfig)))
	if format := r.settings["extensions.refstorage"]; format != "" && format != "files" {
		return nil, fmt.Errorf("the repository keeps its references in another format than files: %.20q", format)
	}
	return r, nil
}

// Root returns the folder of the work tree around a folder, which has .git, or "". It
// starts no program.
func Root(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if IsRepository(dir) {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// IsRepository reports whether a folder is a repository's work tree. An empty .git, as
// the sandboxes of some agents leave in /tmp, does not count. In a linked work tree and
// in a submodule, .git is a file.
func IsRepository(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Lstat(git)
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		return true
	}
	_, err = os.Lstat(filepath.Join(git, "HEAD"))
	return err == nil
}

// folders returns a work tree's git folder, and the one that it shares with others.
func folders(root string) (dir, common string, err error) {
	dir = filepath.Join(root, ".git")
	if to, ok := strings.CutPrefix(line(dir), "gitdir: "); ok {
		dir = from(root, to)
	}
	common = dir
	if to := line(filepath.Join(dir, "commondir")); to != "" {
		common = from(dir, to)
	}
	info, err := os.Stat(filepath.Join(common, "objects"))
	if err == nil && !info.IsDir() {
		err = errors.New("it has no folder of objects")
	}
	if err != nil {
		return "", "", fmt.Errorf("the repository of %s: %w", root, err)
	}
	return dir, common, nil
}

// Writable returns an error unless what is written into the repository stays in it. What
// leads there is in the work tree, where an agent in a sandbox can write, so it cannot
// lead to any other repository: that one has to name the work tree.
func (r *Repo) Writable() error {
	if !isOf(filepath.Join(r.Root, ".git"), r.dir, r.common) {
		return fmt.Errorf("%s leads to a repository that is not of this work tree: neither `git worktree` nor core.worktree there names it", filepath.Join(r.Root, ".git"))
	}
	if err := withoutLinks(r.Objects()); err != nil {
		return fmt.Errorf("the repository of %s: %w", r.Root, err)
	}
	return nil
}

// isOf reports whether a git folder is in its work tree, or names it: as a linked work
// tree, or by core.worktree, as those of submodules do.
func isOf(own, dir, common string) bool {
	if info, err := os.Lstat(own); common == own {
		return err == nil && info.IsDir()
	}
	if dir != common {
		return isSame(filepath.Dir(dir), filepath.Join(common, "worktrees")) && isSame(from(dir, line(filepath.Join(dir, "gitdir"))), own)
	}
	for _, name := range []string{"config", "config.worktree"} {
		if to := settings(string(start(filepath.Join(dir, name), mostConfig)))["core.worktree"]; to != "" && isSame(from(dir, to), filepath.Dir(own)) {
			return true
		}
	}
	return false
}

func isSame(a, b string) bool {
	one, errA := os.Stat(a)
	other, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(one, other)
}

// withoutLinks returns an error if a folder of objects is a link. That all of them are in
// another place is the user's choice, and part of what Folders returns.
func withoutLinks(objects string) error {
	entries, err := os.ReadDir(objects)
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link", filepath.Join(objects, e.Name()))
		}
	}
	return err
}

func from(folder, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// Folders are the work tree, its git folder, the one with references and that with
// objects, without links.
func (r *Repo) Folders() (list []string, err error) {
	for _, dir := range []string{r.Root, r.dir, r.common, r.Objects()} {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, err
		}
		list = append(list, real)
	}
	return list, nil
}

// Objects is the folder of the repository's objects.
func (r *Repo) Objects() string { return filepath.Join(r.common, "objects") }

// Exclude is what the repository's info/exclude says. Most have none.
func (r *Repo) Exclude() string {
	return string(start(filepath.Join(r.common, "info", "exclude"), mostConfig))
}

// Setting returns one of the repository's own settings, by its name in lower case.
func (r *Repo) Setting(name string) string { return r.settings[name] }

// Without returns the repository as if it did not have one of its settings.
func (r *Repo) Without(name string) *Repo {
	other := *r
	other.settings = maps.Clone(r.settings)
	delete(other.settings, name)
	return &other
}

// Has reports what a setting says about files here. Git assumes that it is true.
func (r *Repo) Has(name string) bool {
	switch strings.ToLower(r.settings[name]) {
	case "false", "no", "off", "0":
		return false
	}
	return true
}

// mostConfig is the size of files of the repository that are read.
const mostConfig = 1 << 20

// settings reads the sections [core] and [extensions] of a configuration, and whether a
// remote is a promisor's, as git itself writes them: one setting a line. What is written
// in another way is not known here, and then git's own choice for a new repository
// counts.
func settings(config string) map[string]string {
	found := map[string]string{}
	section := ""
	for l := range strings.Lines(config) {
		l = strings.TrimSpace(l)
		if name, ok := strings.CutPrefix(l, "["); ok {
			section, _, _ = strings.Cut(strings.ToLower(name), "]")
			section, _, _ = strings.Cut(section, " ")
			continue
		}
		name, value, given := strings.Cut(l, "=")
		if name = strings.ToLower(strings.TrimSpace(name)); name == "" || name[0] == '#' || name[0] == ';' {
			continue
		}
		value = unquoted(value)
		if !given {
			value = "true"
		}
		switch {
		case section == "core", section == "extensions":
			found[section+"."+name] = value
		case section == "remote" && name == "promisor":
			found["extensions.partialclone"] = value
		}
	}
	return found
}

func unquoted(value string) string {
	value = strings.TrimSpace(value)
	if rest, ok := strings.CutPrefix(value, `"`); ok {
		value, _, _ = strings.Cut(rest, `"`)
		return strings.ReplaceAll(value, `\\`, `\`)
	}
	if i := strings.IndexAny(value, "#;"); i >= 0 {
		value = strings.TrimSpace(value[:i])
	}
	return strings.ReplaceAll(value, `\\`, `\`)
}

// line returns the first line of a small file.
func line(path string) string {
	first, _, _ := strings.Cut(string(start(path, 4096)), "\n")
	return strings.TrimSpace(first)
}

// start returns at most size bytes of a file, or nothing.
func start(path string, size int64) []byte {
	f, err := OpenFile(path)
	if err != nil {
		return nil
	}
	defer f.Close() // only read
	data, err := io.ReadAll(io.LimitReader(f, size))
	if err != nil {
		return nil
	}
	return data
}

// OpenFile opens regular files only. It neither waits for a file that is a pipe, nor
// follows one that is a link.
func OpenFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|careful, 0) // #nosec G304 -- of a work tree or its repository
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// gone makes a missing file no error.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
