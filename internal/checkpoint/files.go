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

	"github.com/cursor-ralph/cursor-ralph/internal/git"
)

// apply makes the changes: first the files that go, so that a folder can take the place
// of one. own has the contents of all of them, and none that is not what its name says.
func (r *repo) apply(ctx context.Context, own *git.Git, f files, done Restored) (Restored, error) {
	planned := done.Changes
	done.Changes = nil
	var comes []file
	for _, c := range planned {
		if c.new.mode != absent {
			comes = append(comes, file{c.new.mode, c.new.object, c.Path})
		}
	}
	defer os.RemoveAll(r.in(stageFolder)) // or the next one does it
	if err := r.checkOut(ctx, own, r.in(stageFolder), comes); err != nil {
		return done, err
	}
	for _, goes := range []bool{true, false} {
		for _, c := range planned {
			if goes != (c.new.mode == absent) {
				continue
			}
			err := ctx.Err()
			if err == nil {
				err = r.make(f, c)
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

func (r *repo) make(f files, c Change) error {
	if c.new.mode == absent {
		return f.remove(c)
	}
	content, err := os.ReadFile(filepath.Join(r.in(stageFolder), filepath.FromSlash(c.Path))) // #nosec G304 -- in our private folder
	if err != nil {
		return err
	}
	return f.write(c, content)
}

// files changes the files of a work tree, and none outside it.
type files struct {
	root   *os.Root
	links  bool     // there are symbolic links here
	bits   bool     // git knows from the files here which are programs
	stage  *os.Root // where a file is written before it takes its place
	staged string   // its name there
	beside string   // its name in the folder of that place, if it cannot be moved from there
}

func (r *repo) openFiles() (files, error) {
	root, err := os.OpenRoot(r.user.Root)
	if err != nil {
		return files{}, err
	}
	// A kill leaves a file in the repository, not in the work tree. The next restore
	// removes it, or else git gc, which removes what begins with tmp_.
	stage, err := os.OpenRoot(r.user.Objects())
	if err != nil {
		return files{}, errors.Join(err, root.Close())
	}
	return files{root, r.user.Has("core.symlinks"), r.user.Has("core.filemode"), stage, "tmp_cursor_ralph_" + r.loop.ShortID(), r.beside()}, nil
}

func (f files) close() error { return errors.Join(f.root.Close(), f.stage.Close()) }

// beside is a name in the work tree. No checkpoint has such a file, and the loop's next
// one removes what a kill left, unless it is in an ignored folder.
func (r *repo) beside() string { return temporary + r.loop.ShortID() }

const temporary = ".cursor-ralph-restore-"

var (
	errMeanwhile = errors.New("it changed meanwhile")
	errFolder    = errors.New("a non-empty folder is in its place")
)

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

// write replaces a file in one step. A new file gets the permissions that git gives it.
func (f files) write(c Change, content []byte) error {
	path := filepath.FromSlash(c.Path)
	if err := f.checkParents(path); err != nil {
		return err
	}
	if info, err := f.root.Lstat(path); err == nil && info.IsDir() {
		_ = f.root.Remove(path) // if it is empty; git knows no such folder
	}
	if err := f.unchanged(path, c.old); err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := f.root.MkdirAll(dir, 0o777); err != nil { // as git makes them; the umask decides
		return err
	}
	if f.replace(c, f.stage, f.staged, content, func() error { return move(f.stage, f.staged, f.root, path) }) == nil {
		return nil
	}
	// The repository is in another file system than the file, or this is Windows.
	beside := filepath.Join(dir, f.beside)
	return f.replace(c, f.root, beside, content, func() error { return f.root.Rename(beside, path) })
}

// replace makes a file and moves it to its place, if what is there is still what the
// checkpoint of it has.
func (f files) replace(c Change, stage *os.Root, name string, content []byte, move func() error) error {
	if err := gone(stage.Remove(name)); err != nil { // of a killed restore
		return err
	}
	path := filepath.FromSlash(c.Path)
	err := f.create(path, stage, name, c.new.mode, content)
	if err == nil {
		err = f.unchanged(path, c.old)
	}
	if err == nil {
		err = move()
	}
	return errors.Join(err, gone(stage.Remove(name)))
}

// create makes the file that takes the place of another one. At no time can more people
// read it than in the end.
func (f files) create(path string, stage *os.Root, name, mode string, content []byte) error {
	if mode == link && f.links {
		return stage.Symlink(string(content), name)
	}
	permissions, known := f.permissions(path, mode)
	file, err := stage.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permissions) // #nosec G302 -- as git makes them; the umask decides
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if known {
		err = errors.Join(err, file.Chmod(permissions))
	}
	return errors.Join(err, file.Close())
}

// permissions of a file are those of the one that it replaces.
func (f files) permissions(path, mode string) (p fs.FileMode, known bool) {
	p = 0o666
	if info, err := f.root.Lstat(path); err == nil && info.Mode().IsRegular() {
		p, known = info.Mode().Perm(), true
	}
	switch {
	case known && !f.bits:
		return p, true
	case mode == program:
		return p | p&0o444>>2, known // executable for those who may read it
	}
	return p &^ 0o111, known
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

// inPlace says what is at a path of which no checkpoint knows anything; "" is nothing, or
// a folder.
func (f files) inPlace(name string) string {
	info, err := f.root.Lstat(filepath.FromSlash(name))
	switch {
	case err != nil || info.IsDir():
		return ""
	case info.Mode().IsRegular() || info.Mode()&fs.ModeSymlink != 0:
		return "ignored"
	}
	return "something other than a file is in its place"
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
	case info.IsDir():
		return errFolder
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
	if blobName(content, len(was.object)) != was.object {
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

// blobName is git's name for a file's content, of a length.
func blobName(content []byte, length int) string {
	var h hash.Hash = sha1.New() // #nosec G401 -- as above
	if length == 2*sha256.Size {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
