// Package ownfile opens, replaces and locks files that must be ours: regular,
// owned by this user, not a symbolic link, without a second name and not writable
// by others. In a shared folder such as /tmp another user may have put anything
// else there, so ownfile refuses it.
package ownfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrNotOurs is wrapped by every refusal.
var ErrNotOurs = errors.New("refused")

// ErrTooLarge is wrapped by the error of reading more than the limit.
var ErrTooLarge = errors.New("too large")

// MaxSize limits what Read reads, in bytes.
const MaxSize = 64 << 20

// Check refuses anything but our own file at path. For a missing file it returns
// the error of Lstat.
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
	return checkOwners(path, info)
}

// IsOurs reports whether this user owns a file. On Windows that is assumed.
func IsOurs(info fs.FileInfo) bool {
	uid, known := Owner(info)
	return !known || uid == os.Geteuid()
}

// refusal explains an error of opening a file: if the file is not ours, that is
// the reason, whatever the system says.
func refusal(path string, err error) error {
	if err == nil {
		return nil
	}
	if _, refused := Check(path); errors.Is(refused, ErrNotOurs) {
		return refused
	}
	return err
}

// Read returns a file's content from the offset on, and its FileInfo.
func Read(path string, offset int64) ([]byte, fs.FileInfo, error) {
	return ReadWithin(path, offset, MaxSize)
}

// ReadWithin is Read with a limit of its own.
func ReadWithin(path string, offset, limit int64) ([]byte, fs.FileInfo, error) {
	f, info, err := openToRead(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	size := info.Size() - offset
	if size > limit {
		return nil, info, fmt.Errorf("%s is %w: over %d MiB", path, ErrTooLarge, limit>>20)
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

// ReadPart is Read for the first bytes alone, up to a limit.
func ReadPart(path string, offset, limit int64) ([]byte, fs.FileInfo, error) {
	f, info, err := openToRead(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, offset, limit))
	return data, info, err
}

func openToRead(path string) (*os.File, fs.FileInfo, error) {
	f, err := open(path, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	info, err := checkOpen(f)
	if err != nil {
		_ = f.Close() // nothing was read
	}
	return f, info, err
}

// checkOpen checks the file that was really opened, whatever has its name now.
func checkOpen(f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return info, checkFile(f.Name(), info)
}

// Append writes data at the end of a file, in one write, and returns the file's
// size afterwards. It creates a missing file.
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

// done closes a file that was written. If a signal interrupts that, the file is
// closed all the same, and must not be closed again.
func done(f *os.File) error {
	if err := f.Close(); !errors.Is(err, syscall.EINTR) {
		return err
	}
	return nil
}

// unfinished begins the names of files that Replace is writing.
const unfinished = ".new-"

// Replace puts data at path so that a reader sees the old content or the new,
// never a part. It first writes the new file in scratch, a private folder on the
// same file system, and creates that if it is missing. With durable it syncs the
// content to disk before the rename.
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
	return replace(path, scratch, unfinished+"*", data, 0o600, durable)
}

// Overwrite is a durable Replace for a file of the user's that others may share:
// it may be theirs to read, and have more names. The file gets the mode.
func Overwrite(path string, data []byte, mode fs.FileMode) error {
	return replace(path, filepath.Dir(path), "."+filepath.Base(path)+".*", data, mode, true)
}

func replace(path, folder, pattern string, data []byte, mode fs.FileMode, durable bool) error {
	f, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && mode != 0o600 {
		err = f.Chmod(mode)
	}
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, done(f)); err == nil {
		err = rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, remove(f.Name()))
	}
	return err
}

// Publish is Rename for a file that leaves our private folder, in which its mode did
// not matter. The file is made private first.
func Publish(from, to string) error {
	f, _, err := openToRead(from)
	if err != nil {
		return err
	}
	if err := errors.Join(closeFile(f), f.Close()); err != nil {
		return err
	}
	return rename(from, to)
}

// Rename is os.Rename. On Windows it also replaces an open file, or waits until
// it is closed.
func Rename(from, to string) error { return rename(from, to) }

// Remove is os.Remove. On Windows it waits while the file is open.
func Remove(path string) error { return remove(path) }

// abandoned is the age of an unfinished file whose writer is gone: writing takes
// seconds.
const abandoned = time.Hour

// Sweep removes what killed calls of Replace have left in a scratch folder. The
// folder may be missing.
func Sweep(scratch string, now time.Time) error {
	names, err := Names(scratch)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, name := range names {
		if !strings.HasPrefix(name, unfinished) {
			continue
		}
		path := filepath.Join(scratch, name)
		info, failed := os.Lstat(path)
		if failed == nil && now.Sub(info.ModTime()) > abandoned {
			failed = remove(path)
		}
		if !errors.Is(failed, fs.ErrNotExist) { // another has swept it
			err = errors.Join(err, failed)
		}
	}
	return err
}

// Folder creates a private folder if it is missing, and refuses one that is not
// ours or that others can write. It closes our own folder to others.
func Folder(path string) error {
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(path, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if err := checkFolder(path, info); err != nil || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	return closeFolder(path)
}

// CheckFolder refuses a folder that is not ours, or that others can write. For a
// missing one it returns the error of Lstat.
func CheckFolder(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return checkFolder(path, info)
}

// Names lists what is in our folder, unsorted. It checks the folder that was
// really opened.
func Names(path string) (names []string, err error) {
	f, err := openFolder(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from
	info, err := f.Stat()
	if err == nil {
		err = checkFolder(path, info)
	}
	if err != nil {
		return nil, err
	}
	return f.Readdirnames(-1)
}

func checkFolder(path string, info fs.FileInfo) error {
	if !info.IsDir() {
		return fmt.Errorf("%w: %s is not a folder", ErrNotOurs, path)
	}
	return checkFolderOwners(path, info)
}

// Aside renames an unreadable file within its folder, so that nothing is lost,
// and returns the new name.
func Aside(path, suffix string) (string, error) {
	for i := range 100 {
		to := path + suffix
		if i > 0 {
			to = fmt.Sprintf("%s-%d", to, i)
		}
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return to, rename(path, to)
		}
	}
	return "", fmt.Errorf("move %s aside: too many such files in %s", filepath.Base(path), filepath.Dir(path))
}

// aFew is how many files one processor reads as fast as several.
const aFew = 16

// Each calls do with the numbers below n, on all processors at once where there are
// many: to read many files.
func Each(n int, do func(i int)) {
	workers := 1
	if n > aFew {
		workers = runtime.GOMAXPROCS(0)
	}
	var last atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(last.Add(1)) - 1; i < n; i = int(last.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}
