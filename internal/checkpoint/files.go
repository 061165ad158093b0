package checkpoint

import (
	"bytes"
	"context"
	"crypto/sha1" // #nosec G505 -- git names objects so
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// apply makes the changes: first the files that go, so that a folder can take the place
// of one.
func (r *repo) apply(ctx context.Context, done Restored) (Restored, error) {
	root, err := os.OpenRoot(r.user.Root())
	if err != nil {
		return done, err
	}
	defer root.Close() // nothing is written to it
	files := files{root: root, links: r.settings["core.symlinks"] != "false"}
	planned := done.Changes
	done.Changes = nil
	for _, goes := range []bool{true, false} {
		for _, c := range planned {
			if goes != (c.new.mode == absent) {
				continue
			}
			err := ctx.Err()
			if err == nil {
				err = r.make(ctx, files, c)
			}
			if err != nil {
				done.Kept = append(done.Kept, Kept{c.Path, err.Error()})
			} else {
				done.Changes = append(done.Changes, c)
			}
		}
	}
	return done, ctx.Err()
}

func (r *repo) make(ctx context.Context, f files, c Change) error {
	if c.new.mode == absent {
		return f.remove(c)
	}
	content, err := r.ours.Run(ctx, "", "cat-file", "blob", c.new.object)
	if err != nil {
		return err
	}
	return f.write(c, content)
}

// files changes the files of a work tree, and none outside it.
type files struct {
	root  *os.Root
	links bool // there are symbolic links here
}

var errMeanwhile = errors.New("it changed meanwhile")

// remove removes a file, and the folders that are empty then.
func (f files) remove(c Change) error {
	path := filepath.FromSlash(c.Path)
	if err := errors.Join(f.checkParents(path), f.unchanged(path, c.old)); err != nil {
		return err
	}
	if err := f.root.Remove(path); err != nil {
		return err
	}
	for dir := filepath.Dir(path); dir != "." && f.root.Remove(dir) == nil; dir = filepath.Dir(dir) {
	}
	return nil
}

// write replaces a file in one step. Just before it looks whether the file is still the
// one of which there is a checkpoint.
func (f files) write(c Change, content []byte) error {
	path := filepath.FromSlash(c.Path)
	if err := errors.Join(f.checkParents(path), f.unchanged(path, c.old)); err != nil {
		return err
	}
	if err := f.root.MkdirAll(filepath.Dir(path), 0o777); err != nil { // #nosec G301 -- as git makes them; the umask decides
		return err
	}
	temporary := filepath.Join(filepath.Dir(path), ".cursor-ralph-restore-"+strconv.Itoa(os.Getpid()))
	if err := f.create(temporary, path, c.new.mode, content); err != nil {
		return errors.Join(err, gone(f.root.Remove(temporary)))
	}
	err := f.unchanged(path, c.old)
	if err == nil {
		err = f.root.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, gone(f.root.Remove(temporary)))
	}
	return nil
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// create writes a file beside the one that it replaces, whose permissions it keeps.
func (f files) create(temporary, path, mode string, content []byte) error {
	if mode == link && f.links {
		return f.root.Symlink(string(content), temporary)
	}
	permissions := fs.FileMode(0o666)
	if mode == program {
		permissions = 0o777
	}
	file, err := f.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permissions) // #nosec G302 -- as git makes them; the umask decides
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if info, missing := f.root.Lstat(path); missing == nil && info.Mode().IsRegular() {
		err = errors.Join(err, file.Chmod(withMode(info.Mode().Perm(), mode)))
	}
	return errors.Join(err, file.Close())
}

// withMode makes a file executable, or not, for those who may read it.
func withMode(permissions fs.FileMode, mode string) fs.FileMode {
	if mode == program {
		return permissions | permissions&0o444>>2
	}
	return permissions &^ 0o111
}

// checkParents returns an error if a folder of the path is anything else, such as a link.
func (f files) checkParents(path string) error {
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		info, err := f.root.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s is no folder", dir)
		}
	}
	return nil
}

// unchanged returns an error if a file is not as the checkpoint has it.
func (f files) unchanged(path string, was side) error {
	info, err := f.root.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && was.mode == absent:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return errMeanwhile
	case err != nil:
		return err
	case was.mode == absent:
		return errMeanwhile
	}
	var content []byte
	switch {
	case info.Mode()&fs.ModeSymlink != 0 && was.mode == link:
		to, err := f.root.Readlink(path)
		if err != nil {
			return err
		}
		content = []byte(to)
	case info.Mode().IsRegular() && (was.mode != link || !f.links) && info.Size() <= largest:
		if content, err = f.read(path); err != nil {
			return err
		}
	default:
		return errMeanwhile
	}
	if objectName(content, len(was.object)) != was.object {
		return errMeanwhile
	}
	return nil
}

func (f files) read(path string) ([]byte, error) {
	file, err := f.root.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // only read
	var b bytes.Buffer
	_, err = io.Copy(&b, io.LimitReader(file, largest+1))
	return b.Bytes(), err
}

// objectName is git's name for content, of a length.
func objectName(content []byte, length int) string {
	var h hash.Hash = sha1.New() // #nosec G401 -- as above
	if length == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
