//go:build !windows

package ownfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// open never follows a link and never waits for the other end of a pipe.
func open(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|noFollow|syscall.O_NONBLOCK, 0o600)
	return f, refusal(path, err)
}

// openFolder does not wait for a pipe in the folder's place. os.OpenFile would
// start the runtime's poller, which costs every stop without a loop more than the
// listing does.
func openFolder(path string) (*os.File, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC|syscall.O_DIRECTORY|noFollow, 0)
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), path), nil
		case errors.Is(err, syscall.EINTR):
			continue
		}
		if refused := CheckFolder(path); errors.Is(refused, ErrNotOurs) {
			return nil, refused
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
}

func rename(from, to string) error { return os.Rename(from, to) }

func remove(path string) error { return os.Remove(path) }

// Owner returns the user who owns a file. It is unknown on Windows, where
// access lists decide instead.
func Owner(info fs.FileInfo) (uid int, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, false
	}
	return int(stat.Uid), true
}

func checkOwner(path string, info fs.FileInfo) error {
	if err := checkFolderOwner(path, info); err != nil {
		return err
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Nlink > 1 {
		return fmt.Errorf("%w: %s is another name of some file (%d hard links)", ErrNotOurs, path, stat.Nlink)
	}
	return nil
}

func checkFolderOwner(path string, info fs.FileInfo) error {
	if uid, _ := Owner(info); uid != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to user %d", ErrNotOurs, path, uid)
	}
	return nil
}

func closeFolder(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return os.Chmod(path, 0o700) // #nosec G302 -- a folder
}
