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
)

// apply makes the changes: first the files that go, so that a folder can take the place
// of one.
func (r *repo) apply(ctx context.Context, f files, done Restored) (Restored, error) {
	planned := done.Changes
	done.Changes = nil
	for _, goes := range []bool{true, false} {
		for _, c := range planned {
			if goes != (c.new.mode == absent) {
				continue
			}
			err := ctx.Err()
			if err == nil {
				err = r.make(ctx, f, c)
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
	root   *os.Root
	links  bool   // there are symbolic links here
	bits   bool   // git knows from the files here which are programs
	staged string // where a file is written before it takes its place
	beside string // the name of that file in the folder of its place, if it cannot be moved from staged
	modes  modes
}

func (r *repo) openFiles() (files, error) {
	root, err := os.OpenRoot(r.user.Root())
	return files{root: root, links: r.has("core.symlinks"), bits: r.has("core.filemode"), staged: r.staged(), beside: r.beside()}, err
}

// staged is outside the work tree, so that a kill leaves nothing there. The loop's next
// checkpoint removes it, or else git gc, which removes what begins with tmp_.
func (r *repo) staged() string { return filepath.Join(r.objects, "tmp_cursor_ralph_"+r.loop.ShortID()) }

// beside is a name in the work tree. No checkpoint has such a file, and the loop's next
// one removes what a kill left, unless it is in an ignored folder.
func (r *repo) beside() string { return temporary + r.loop.ShortID() }

const temporary = ".cursor-ralph-restore-"

var (
	errMeanwhile = errors.New("it changed meanwhile")
	errFolder    = errors.New("a non-empty folder is in its place")
	errNotMoved  = errors.New("cannot move the restored file to its place")
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

// write replaces a file in one step. The new one is written outside the work tree first,
// and beside the old one if it cannot be moved from there, as to another file system.
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
	if err := f.makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	create := f.maker(path, c.new.mode, content)
	stage, err := os.OpenRoot(filepath.Dir(f.staged))
	if err != nil {
		return err
	}
	defer stage.Close() // nothing is written to it
	if err = f.replace(c, stage, filepath.Base(f.staged), create); !errors.Is(err, errNotMoved) {
		return err
	}
	folder, err := f.root.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()                                  // as above
	if err := gone(folder.Remove(f.beside)); err != nil { // of a killed restore, if the folder is ignored
		return err
	}
	return f.replace(c, folder, f.beside, create)
}

// replace makes a file and has it take its place, if what is there is still what the
// checkpoint of it has.
func (f files) replace(c Change, stage *os.Root, name string, create maker) error {
	path := filepath.FromSlash(c.Path)
	err := create(stage, name)
	if err == nil {
		err = f.unchanged(path, c.old)
	}
	if err == nil {
		err = f.move(stage, name, path)
	}
	return errors.Join(err, gone(stage.Remove(name)))
}

// makeFolder makes a folder and those above it.
func (f files) makeFolder(dir string) error {
	if _, err := f.root.Lstat(dir); err == nil {
		return nil
	}
	if err := f.makeFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	mode, known := f.modes[filepath.ToSlash(dir)+"/"]
	if !known {
		mode = 0o777 // as git makes them; the umask decides
	}
	return f.root.Mkdir(dir, mode|0o700)
}

// move has a staged file take its place. It fails if that is in another file system.
func (f files) move(stage *os.Root, name, path string) error {
	from, err := stage.Open(".")
	if err != nil {
		return err
	}
	defer from.Close() // only a folder
	to, err := f.root.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer to.Close() // only a folder
	if err := rename(from, name, to, filepath.Base(path)); err != nil {
		return fmt.Errorf("%w: %w", errNotMoved, err)
	}
	return nil
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// maker makes a new file.
type maker func(root *os.Root, name string) error

// maker returns what makes a new file. At no time can more people read it than in the
// end.
func (f files) maker(path, mode string, content []byte) maker {
	permissions, known := f.permissions(path, mode)
	return func(root *os.Root, name string) error {
		if mode == link && f.links {
			return root.Symlink(string(content), name)
		}
		file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permissions) // #nosec G302 -- as git makes them; the umask decides
		if err != nil {
			return err
		}
		_, err = file.Write(content)
		if known {
			err = errors.Join(err, file.Chmod(permissions))
		}
		return errors.Join(err, file.Close())
	}
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
