//go:build !windows

package ownfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const noFollow = syscall.O_NOFOLLOW

// open never follows a link and never waits for the other end of a pipe.
func open(path string, flag int) (*os.File, error) {
	f, err := descriptor(path, flag|syscall.O_NONBLOCK)
	return f, refusal(path, err)
}

// openFolder does not wait for a pipe in the folder's place.
func openFolder(path string) (*os.File, error) {
	f, err := descriptor(path, syscall.O_RDONLY|syscall.O_DIRECTORY)
	if err != nil {
		if refused := CheckFolder(path); errors.Is(refused, ErrNotOurs) {
			return nil, refused
		}
	}
	return f, err
}

// descriptor opens a file without the runtime's poller: os.OpenFile would start it, which costs a hook more than the reading.
func descriptor(path string, flag int) (*os.File, error) {
	for {
		fd, err := syscall.Open(path, flag|syscall.O_CLOEXEC|noFollow, 0o600)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		_ = syscall.SetNonblock(fd, false) // else os.NewFile starts it; only a pipe would wait, and it is refused
		return os.NewFile(uintptr(fd), path), nil
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

func checkOwners(path string, info fs.FileInfo) error {
	if err := checkOwner(path, info); err != nil {
		return err
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Nlink > 1 {
		return fmt.Errorf("%w: %s is another name of some file (%d hard links)", ErrNotOurs, path, stat.Nlink)
	}
	if OthersWrite(info) && !isEnclosed(path) {
		return lax(path, info, "600")
	}
	return nil
}

func checkFolderOwners(path string, info fs.FileInfo) error {
	if err := checkOwner(path, info); err != nil {
		return err
	}
	if OthersWrite(info) {
		return lax(path, info, "700")
	}
	return nil
}

func checkOwner(path string, info fs.FileInfo) error {
	if uid, _ := Owner(info); uid != os.Geteuid() {
		return fmt.Errorf("%w: %s belongs to user %d", ErrNotOurs, path, uid)
	}
	return nil
}

func lax(path string, info fs.FileInfo, mode string) error {
	return fmt.Errorf("%w: other users can write %s (mode %04o); if what is in it is yours: chmod %s %s", ErrNotOurs, path, info.Mode().Perm(), mode, path)
}

// OthersWrite reports whether anybody but the owner and root can write a file. With
// a umask of 002, which is common, the user's own group can.
func OthersWrite(info fs.FileInfo) bool {
	mode := info.Mode().Perm()
	return mode&0o002 != 0 || mode&0o020 != 0 && !isOwnGroup(info)
}

// isEnclosed reports whether a file lies in our private folder, into which nobody
// else gets.
func isEnclosed(path string) bool {
	info, err := os.Lstat(filepath.Dir(path))
	return err == nil && info.IsDir() && IsOurs(info) && info.Mode().Perm()&0o077 == 0
}

// closeFolder changes the mode of the folder that it has opened and checked: by its
// path, that could be of another folder by now.
func closeFolder(path string) error {
	f, err := openFolder(path)
	if err != nil {
		return err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err == nil {
		err = checkFolder(path, info)
	}
	if err != nil {
		return err
	}
	return f.Chmod(0o700)
}

func closeFile(f *os.File) error { return f.Chmod(0o600) }
