package cursorlog

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// How much is read at most: one megabyte in all. A file's beginning has what Cursor says of hooks.json first, its end what it said last.
const (
	mostFiles = 4
	headSize  = 64 << 10
	tailSize  = 192 << 10
)

// Read reads the newest logs below Cursor's folder of logs, and returns their paths, the newest first. It follows no link
// out of the folder, and reads no file of another user's. Of two files the one that was written last comes last in the log.
func Read(folder string) (all []Verdict, paths []string) {
	files := newest(folder)
	for _, f := range slices.Backward(files) {
		log, ok := readFile(f.path)
		if !ok {
			continue
		}
		all = append(all, log...)
		paths = append([]string{f.path}, paths...)
	}
	return all, paths
}

type file struct {
	path    string
	changed time.Time
}

func newest(folder string) (files []file) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil
	}
	defer root.Close()                                                     // only read from
	names, _ := fs.Glob(root.FS(), "*/window*/output_*/cursor.hooks*.log") // the pattern is well formed
	for _, name := range names {
		if info, err := root.Lstat(filepath.FromSlash(name)); err == nil && info.Mode().IsRegular() {
			files = append(files, file{filepath.Join(folder, filepath.FromSlash(name)), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.path, b.path)) })
	return files[:min(len(files), mostFiles)]
}

// readFile reads the beginning and the end of a file. It is false for one that is not this user's, or cannot be read.
func readFile(path string) ([]Verdict, bool) {
	head, info, err := ownfile.ReadPart(path, 0, headSize)
	if err != nil {
		return nil, false
	}
	if info.Size() <= headSize {
		return Parse(head), true
	}
	tail, _, err := ownfile.ReadPart(path, max(headSize, info.Size()-tailSize), tailSize)
	if err != nil {
		return nil, false
	}
	if info.Size() <= headSize+tailSize {
		return Parse(append(head, tail...)), true
	}
	return append(Parse(head), Parse(tail)...), true
}
