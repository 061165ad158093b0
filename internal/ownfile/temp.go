package ownfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// TempFolder makes a folder in a private one, which it also makes, and returns what
// removes it. It first removes what killed processes have left there an hour ago.
func TempFolder(parent string) (path string, remove func() error, err error) {
	if err := emptied(parent, time.Hour); err != nil {
		return "", nil, err
	}
	path, err = os.MkdirTemp(parent, "")
	return path, func() error { return removeAll(path) }, err
}

// LastingFolder makes a folder in a private one, which it also makes, unless it is there. If not, it removes others that are older.
func LastingFolder(parent, name string, age time.Duration) (path string, err error) {
	path = filepath.Join(parent, name)
	if _, err := os.Lstat(path); err != nil {
		if err := emptied(parent, age); err != nil {
			return "", err
		}
	}
	return path, Folder(path)
}

// emptied makes a private folder, and removes what is older in it.
func emptied(parent string, age time.Duration) error {
	for _, dir := range []string{filepath.Dir(parent), parent} {
		if err := Folder(dir); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(parent)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > age {
			_ = removeAll(filepath.Join(parent, e.Name())) // the next one tries again
		}
	}
	return err
}

// removeAll also removes folders that were made read-only.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o700) // #nosec G302 G122 -- a folder below one that only we can write
		}
		return err
	}) // what goes wrong, RemoveAll reports
	return os.RemoveAll(path)
}

// ReadOnly makes the files and folders below one of our folders, and the folder itself,
// read-only.
func ReadOnly(folder string) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode().Perm()&0o500) // #nosec G122 -- below a folder that only we can write
	})
}
