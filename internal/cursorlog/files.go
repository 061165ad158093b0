package cursorlog

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// How much is read at most: one megabyte in all. A file's beginning has what Cursor says of hooks.json, its end the last runs.
const (
	mostSessions = 4
	mostFiles    = 4
	headSize     = 64 << 10
	tailSize     = 192 << 10
)

// Read reads the newest logs below Cursor's folder of logs, and returns their paths, the newest first. It follows no link, and
// reads no file of another user's. Of two files the one that was written last comes last in the log.
func Read(folder string) (Log, []string) {
	files := newest(folder)
	var all Log
	var paths []string
	for _, f := range slices.Backward(files) {
		log, ok := readFile(f.path)
		if !ok {
			continue
		}
		all.Verdicts = append(all.Verdicts, log.Verdicts...)
		all.Runs = append(all.Runs, log.Runs...)
		paths = append([]string{f.path}, paths...)
	}
	return all, paths
}

type file struct {
	path    string
	changed time.Time
}

// newest finds <folder>/<session>/window*/output_*/cursor.hooks.*.log. The name of a session is its time.
func newest(folder string) []file {
	var files []file
	sessions := folders(folder, "")
	slices.Sort(sessions)
	slices.Reverse(sessions)
	for _, session := range sessions[:min(len(sessions), mostSessions)] {
		for _, window := range folders(session, "window") {
			for _, output := range folders(window, "output_") {
				files = append(files, logs(output)...)
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.changed.Compare(a.changed), cmp.Compare(a.path, b.path)) })
	return files[:min(len(files), mostFiles)]
}

// folders leaves links out, and what cannot be read.
func folders(path, prefix string) (paths []string) {
	entries, _ := os.ReadDir(path)
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			paths = append(paths, filepath.Join(path, e.Name()))
		}
	}
	return paths
}

func logs(folder string) (files []file) {
	entries, _ := os.ReadDir(folder) // as above
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && isLog(e) {
			files = append(files, file{filepath.Join(folder, e.Name()), info.ModTime()})
		}
	}
	return files
}

func isLog(e fs.DirEntry) bool {
	return strings.HasPrefix(e.Name(), "cursor.hooks.") && strings.HasSuffix(e.Name(), ".log")
}

// readFile reads the beginning and the end of a file. It is false for one that is not this user's, or cannot be read.
func readFile(path string) (Log, bool) {
	head, info, err := ownfile.ReadPart(path, 0, headSize)
	if err != nil {
		return Log{}, false
	}
	if info.Size() <= headSize {
		return Parse(head), true
	}
	tail, _, err := ownfile.ReadPart(path, max(headSize, info.Size()-tailSize), tailSize)
	if err != nil {
		return Log{}, false
	}
	if info.Size() <= headSize+tailSize {
		return Parse(append(head, tail...)), true
	}
	log, end := Parse(head), Parse(tail)
	return Log{append(log.Verdicts, end.Verdicts...), append(log.Runs, end.Runs...)}, true
}
