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
func openFolder(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if refused := CheckFolder(path); err != nil && errors.Is(refused, ErrNotOurs) {
		err = refused
	}
	return f, err
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
