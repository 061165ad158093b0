//go:build !windows

package ownfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// CheckProgram refuses a program that others can write, or replace: it and the
// folders above it have to be this user's or root's. A symbolic link is checked with
// what it leads to.
func CheckProgram(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if info, err := os.Lstat(real); err != nil || othersReplace(info) {
		return errors.Join(err, laxProgram(path, real, info))
	}
	for _, path := range []string{path, real} {
		if err := checkFolders(path); err != nil {
			return err
		}
	}
	return nil
}

// checkFolders goes up from a program. In a folder with the sticky bit, such as /tmp,
// others cannot rename our folder, but could put a program beside ours.
func checkFolders(program string) error {
	for dir := filepath.Dir(program); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			return err
		}
		sticky := info.Mode()&fs.ModeSticky != 0 && dir != filepath.Dir(program)
		if othersReplace(info) && !sticky {
			return laxProgram(program, dir, info)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

func laxProgram(program, path string, info fs.FileInfo) error {
	if info == nil {
		return nil
	}
	uid, _ := Owner(info)
	return fmt.Errorf("%w: other users can replace %s, because they can write %s (mode %04o, owner %d)", ErrNotOurs, program, path, info.Mode().Perm(), uid)
}

// unmapped is the owner of what belongs to users, root among them, whom a container
// does not have.
const unmapped = 65534

// admin is the group of those who administrate a Mac, which Homebrew makes the group of its
// folders.
const admin = 80

// othersReplace reports whether anybody but the user and root can change a program or
// a folder. Root decided which group may write what is root's: on Debian staff may
// write /usr/local.
func othersReplace(info fs.FileInfo) bool {
	stat := info.Sys().(*syscall.Stat_t)
	byRoot := stat.Uid == 0 || stat.Uid == unmapped
	if !byRoot && !IsOurs(info) {
		return true
	}
	mode := info.Mode().Perm()
	byGroup := mode&0o020 != 0 && !byRoot && !isOwnGroup(info) && !(runtime.GOOS == "darwin" && stat.Gid == admin)
	return mode&0o002 != 0 || byGroup
}
