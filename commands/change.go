package commands

import (
	"bytes"
	"errors"
	"fmt"
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
	target, info, err := o.look(path)
	n := node{path: path, target: target, mode: 0o644}
	switch {
	case err != nil || info == nil:
		return n, err
	case !info.Mode().IsRegular():
		return n, hint.New(path+": is not a file", "move it away")
	case info.Size() > maxSize:
		return n, hint.New(path+": is too big", "Cursor's settings files have a few kilobytes: check what it is")
	}
	n.mode = info.Mode().Perm()
	n.data, err = os.ReadFile(target)
	return n, err
}

// readFolder refuses a folder that we may not write to.
func (o Options) readFolder(path string) error {
	_, info, err := o.look(path)
	if err == nil && info != nil && !info.IsDir() {
		err = hint.New(path+": is not a folder", "move it away")
	}
	return err
}

// look returns what is at a path, nil if nothing is. It follows the links of people who keep their settings elsewhere, and
// refuses what belongs to another user.
func (o Options) look(path string) (target string, info fs.FileInfo, err error) {
	info, err = os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil, nil
	case err != nil:
		return path, nil, err
	case info.Mode()&fs.ModeSymlink == 0:
		target = path
	case o.Project:
		return path, nil, hint.New(path+": is a symbolic link, which Cursor refuses in a project", "replace it by the file itself")
	default:
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return path, nil, hint.New(fmt.Sprintf("%s: is a broken link: %v", path, err), "remove the link, or create what it points to")
		}
		if info, err = os.Stat(target); err != nil {
			return path, nil, err
		}
	}
	if !ownfile.IsOurs(info) {
		return path, nil, hint.New(path+": belongs to another user", "run this as the user who owns it (without sudo)")
	}
	return target, info, nil
}
