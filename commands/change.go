package commands

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// Change is what an installation or removal does. The zero Change does nothing.
type Change struct {
	Files []File   // in the order in which they are written
	Notes []string // what the user should know besides

	folders []string // removed at the end if they are empty
}

// File is a file before and after. Old or New is nil where there is none.
type File struct {
	Path     string
	Old, New []byte

	target string // Path, or what it links to
	mode   fs.FileMode
}

// Apply writes the files, each atomically, if all are unchanged since they were planned.
func (c Change) Apply() error {
	for _, step := range []func(File) error{File.unchanged, File.apply} {
		for _, f := range c.Files {
			if err := step(f); err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
		}
	}
	for _, folder := range c.folders {
		if err := removeEmpty(folder); err != nil {
			return err
		}
	}
	return nil
}

// put adds a file to the change if its content differs.
func (c *Change) put(n node, content []byte) {
	if bytes.Equal(n.data, content) && (n.data == nil) == (content == nil) {
		return
	}
	c.Files = append(c.Files, File{Path: n.path, Old: n.data, New: content, target: n.target, mode: n.mode})
}

func (c *Change) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

func (f File) unchanged() error {
	now, err := os.ReadFile(f.target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, f.Old) || (now == nil) != (f.Old == nil) {
		return hint.New("was changed by another program just now", "run the command again")
	}
	return nil
}

func (f File) apply() error {
	if err := f.unchanged(); err != nil {
		return err
	}
	if f.New == nil {
		return os.Remove(f.Path) // of a link only the link
	}
	if err := os.MkdirAll(filepath.Dir(f.target), 0o755); err != nil { // #nosec G301 -- the editor's own folders, as it makes them
		return err
	}
	return ownfile.Overwrite(f.target, f.New, f.mode)
}

func removeEmpty(folder string) error {
	list, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || len(list) > 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Remove(folder)
}

// node is a file as we found it.
type node struct {
	path   string
	target string      // path, or what it links to
	data   []byte      // nil if there is no file
	mode   fs.FileMode // of the file, or for a new one
}

// read reads a file that we may change. It refuses anything but a regular file of this user.
func (o Options) read(path string) (node, error) {
	n := node{path: path, target: path, mode: 0o644}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		n.target, info, err = o.follow(path)
	}
	if err != nil {
		return node{}, err
	}
	if err := usable(path, info); err != nil {
		return node{}, err
	}
	n.mode = info.Mode().Perm()
	n.data, err = readAll(n.target)
	return n, err
}

// follow writes through the links of people who keep their settings elsewhere.
func (o Options) follow(path string) (string, fs.FileInfo, error) {
	if o.Project {
		return "", nil, hint.New(path+": is a symbolic link, which Cursor refuses in a project", "replace it by the file itself")
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", nil, hint.New(fmt.Sprintf("%s: is a broken link: %v", path, err), "remove the link, or create what it points to")
	}
	info, err := os.Stat(target)
	return target, info, err
}

func usable(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return hint.New(path+": is not a file", "move it away")
	}
	if info.Size() > maxSize {
		return hint.New(path+": is too big", "files of Cursor's settings have a few kilobytes: look what it is")
	}
	return owned(path, info)
}

func owned(path string, info fs.FileInfo) error {
	if !ownfile.IsOurs(info) {
		return hint.New(path+": belongs to another user", "run this as the user who owns it (without sudo)")
	}
	return nil
}

// readAll never returns nil for a file that is there.
func readAll(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	return data, err
}

// readFolder refuses a folder that we may not write to. It reports whether the folder is there.
func (o Options) readFolder(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		_, info, err = o.follow(path)
	}
	if err != nil {
		return false, err
	}
	if !info.IsDir() {
		return false, hint.New(path+": is not a folder", "move it away")
	}
	return true, owned(path, info)
}
