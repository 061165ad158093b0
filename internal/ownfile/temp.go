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
	for _, dir := range []string{filepath.Dir(parent), parent} {
		if err := Folder(dir); err != nil {
			return "", nil, err
		}
	}
	entries, err := os.ReadDir(parent)
	if err != nil {
		return "", nil, err
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = removeAll(filepath.Join(parent, e.Name())) // the next one tries again
		}
	}
	path, err = os.MkdirTemp(parent, "")
	return path, func() error { return removeAll(path) }, err
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
