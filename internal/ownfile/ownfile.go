// Package ownfile opens, replaces and locks files that must be ours: regular,
// owned by this user, no symbolic link and no second name of another file. In
// a shared folder such as /tmp anything else may have been put there by
// somebody else, and is refused.
package ownfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// ErrNotOurs is wrapped by every refusal.
var ErrNotOurs = errors.New("refused")

// MaxSize is how much of a file is read, in bytes. A larger one is an error.
const MaxSize = 256 << 20

// Check refuses what must not be where a file of ours should be. It gives the
// error of Lstat for a missing file.
func Check(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	return info, checkFile(path, info)
}

func checkFile(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%w: %s is a symbolic link", ErrNotOurs, path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is not a regular file", ErrNotOurs, path)
	}
	return checkOwner(path, info)
}

// refusal explains an error of opening a file: what is not ours is refused, in
// whatever way the system says that it cannot be opened.
func refusal(path string, err error) error {
	if err == nil {
		return nil
	}
	if _, refused := Check(path); errors.Is(refused, ErrNotOurs) {
		return refused
	}
	return err
}

// Read gives a file's content, from the offset on, and what it is.
func Read(path string, offset int64) ([]byte, fs.FileInfo, error) {
	f, err := open(path, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := checkOpen(f)
	if err != nil {
		return nil, nil, err
	}
	size := info.Size() - offset
	if size > MaxSize {
		return nil, info, fmt.Errorf("%s is larger than %d bytes", path, int64(MaxSize))
	}
	if size <= 0 {
		return nil, info, nil
	}
	data := make([]byte, size)
	n, err := f.ReadAt(data, offset)
	if err == io.EOF {
		err = nil
	}
	return data[:n], info, err
}

// checkOpen looks at the file that was really opened, whatever its name is
// now. Another name of it may be a file that somebody wants us to write to.
func checkOpen(f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return info, checkFile(f.Name(), info)
}

// Append writes data at the end of a file, in one write, and gives the file's
// size afterwards. The file is created where it is missing.
func Append(path string, data []byte) (size int64, err error) {
	f, err := open(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return 0, err
	}
	info, err := checkOpen(f)
	if err == nil {
		size = info.Size() + int64(len(data))
		_, err = f.Write(data)
	}
	return size, errors.Join(err, done(f))
}

// done closes a file that was written. One that a signal interrupts there is
// closed all the same, and must not be closed again.
func done(f *os.File) error {
	if err := f.Close(); !errors.Is(err, syscall.EINTR) {
		return err
	}
	return nil
}

// unfinished begins the name of a file that Replace still writes.
const unfinished = ".new-"

// Replace puts data at path so that a reader sees the old content or the new,
// never a part. The new file is first written in scratch, a private folder on
// the same file system, which is made where it is missing. With durable the content is on the disk before the
// name is.
func Replace(path, scratch string, data []byte, durable bool) error {
	if _, err := Check(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := CheckFolder(scratch)
	if errors.Is(err, fs.ErrNotExist) {
		err = Folder(scratch)
	}
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(scratch, unfinished+"*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, done(f)); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// abandoned is the age of an unfinished file whose writer is gone: none takes
// longer than seconds.
const abandoned = time.Hour

// Sweep removes from a scratch folder what a Replace that was killed has left
// there. A missing folder is an empty one.
func Sweep(scratch string, now time.Time) error {
	names, err := Names(scratch)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, name := range names {
		path := filepath.Join(scratch, name)
		info, failed := os.Lstat(path)
		if failed == nil && strings.HasPrefix(name, unfinished) && now.Sub(info.ModTime()) > abandoned {
			failed = os.Remove(path)
		}
		if !errors.Is(failed, fs.ErrNotExist) { // another has swept it
			err = errors.Join(err, failed)
		}
	}
	return err
}

// Folder makes a private folder where it is missing, and refuses one that is
// not ours. A folder of ours that others could enter is closed to them.
func Folder(path string) error {
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(path, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := checkFolder(path)
	if err != nil {
		return err
	}
	return closeFolder(path, info)
}

// CheckFolder refuses a folder that is not ours. It gives the error of Lstat
// for a missing one.
func CheckFolder(path string) error {
	_, err := checkFolder(path)
	return err
}

// Names lists what is in a folder of ours, in no order. The folder that was
// opened is checked, not only its name.
func Names(path string) (names []string, err error) {
	f, err := openFolder(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from
	info, err := f.Stat()
	if err == nil {
		err = checkFolderOwner(path, info)
	}
	if err != nil {
		return nil, err
	}
	return f.Readdirnames(-1)
}

func checkFolder(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%w: %s is not a folder", ErrNotOurs, path)
	}
	return info, checkFolderOwner(path, info)
}

// Aside renames a file that cannot be read, in its folder, so that nothing is
// lost. It gives the new name.
func Aside(path, suffix string) (string, error) {
	for i := range 100 {
		to := path + suffix
		if i > 0 {
			to = fmt.Sprintf("%s-%d", to, i)
		}
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, os.Rename(path, to)
		}
	}
	return "", fmt.Errorf("move %s aside: too many such files in %s", filepath.Base(path), filepath.Dir(path))
}
