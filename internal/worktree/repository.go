package worktree

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Root returns the folder of the work tree around a folder, which has .git, or "". It
// starts no program.
func Root(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		if IsRepository(dir) {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// IsRepository reports whether a folder is a repository's work tree. An empty .git, as
// the sandboxes of some agents leave in /tmp, does not count. In a linked work tree and
// in a submodule, .git is a file.
func IsRepository(dir string) bool {
	git := filepath.Join(dir, ".git")
	info, err := os.Lstat(git)
	if err != nil {
		return false
	}
	if info.Mode().IsRegular() {
		return true
	}
	_, err = os.Lstat(filepath.Join(git, "HEAD"))
	return err == nil
}

// commit returns the current commit of a nested repository, or "" for another folder.
// It does not run git there, because that repository has its own configuration.
func commit(dir string) string {
	git := filepath.Join(dir, ".git")
	if to, ok := strings.CutPrefix(line(git), "gitdir: "); ok {
		if git = to; !filepath.IsAbs(to) {
			git = filepath.Join(dir, to)
		}
	}
	head := line(filepath.Join(git, "HEAD"))
	ref, ok := strings.CutPrefix(head, "ref: ")
	if !ok || !filepath.IsLocal(ref) {
		return head
	}
	if at := line(filepath.Join(git, ref)); at != "" {
		return at
	}
	return head + " " + packed(git, ref)
}

// packed returns the line of a reference in packed-refs.
func packed(git, ref string) string {
	data := start(filepath.Join(git, "packed-refs"), 1<<20)
	for l := range bytes.Lines(data) {
		if l = bytes.TrimSpace(l); bytes.HasSuffix(l, []byte(" "+ref)) {
			return string(l)
		}
	}
	return ""
}

// line returns the first line of a small file.
func line(path string) string {
	first, _, _ := bytes.Cut(start(path, 4096), []byte("\n"))
	return strings.TrimSpace(string(first))
}

// start returns at most size bytes of a file, or nothing.
func start(path string, size int64) []byte {
	f, err := openFile(path)
	if err != nil {
		return nil
	}
	defer f.Close() // only read
	data, err := io.ReadAll(io.LimitReader(f, size))
	if err != nil {
		return nil
	}
	return data
}
