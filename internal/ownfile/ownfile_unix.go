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

// openFolder is open for a folder: a pipe that took its place is not waited for.
// os.OpenFile would make the runtime's poller for it, which costs every stop
// without a loop more than the listing does.
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

func checkOwner(path string, info fs.FileInfo) error {
	stat := info.Sys().(*syscall.Stat_t)
	if int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to user %d", ErrNotOurs, path, stat.Uid)
	}
	if stat.Nlink > 1 {
		return fmt.Errorf("%w: %s is another name of some file (%d hard links)", ErrNotOurs, path, stat.Nlink)
	}
	return nil
}

func checkFolderOwner(path string, info fs.FileInfo) error {
	if uid := int(info.Sys().(*syscall.Stat_t).Uid); uid != os.Geteuid() {
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
