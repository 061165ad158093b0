package worktree

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

const (
	// mostHashed files are read, at most mostBytes together. Others count by size and
	// time.
	mostHashed = 2000
	mostBytes  = 32 << 20
	// deleted is the content of a missing file.
	deleted = "deleted"
)

// contents is the content of files, read within limits.
type contents struct {
	ctx   context.Context
	files int   // that may still be read
	bytes int64 // that may still be read
	of    map[string]string
}

func newContents(ctx context.Context) *contents {
	return &contents{ctx: ctx, files: mostHashed, bytes: mostBytes, of: map[string]string{}}
}

// read reads what it has not read yet, until ctx is done.
func (c *contents) read(paths ...string) {
	for _, path := range paths {
		if c.ctx.Err() != nil {
			return
		}
		if _, known := c.of[path]; !known {
			c.of[path] = c.content(path)
		}
	}
}

// there returns the contents of the files that exist.
func (c *contents) there(paths []string) map[string]string {
	found := map[string]string{}
	for _, path := range paths {
		if content, ok := c.of[path]; ok && content != deleted {
			found[path] = content
		}
	}
	return found
}

// list returns the contents of the first files. Names become valid UTF-8, because JSON
// would change invalid ones.
func (c *contents) list(groups ...[]string) map[string]string {
	files := map[string]string{}
	for _, paths := range groups {
		for _, path := range paths {
			if content, ok := c.of[path]; ok && len(files) < most {
				files[strings.ToValidUTF8(path, "\ufffd")] = content
			}
		}
	}
	return files
}

// content describes what is at a path. It does not follow symbolic links.
func (c *contents) content(path string) string {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return deleted
	case err != nil:
		return "unreadable"
	case info.IsDir():
		return "folder " + hashed(commit(path))
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		if err != nil {
			return "unreadable"
		}
		return "link " + hashed(to)
	case !info.Mode().IsRegular():
		return "special"
	}
	return c.file(path, info)
}

func (c *contents) file(path string, info fs.FileInfo) string {
	if c.files == 0 || info.Size() > c.bytes {
		return stamp(info)
	}
	c.files--
	c.bytes -= info.Size()
	sum, err := c.sum(path, info.Size())
	switch {
	case err != nil:
		return stamp(info)
	case info.Mode()&0o100 != 0: // git calls this a change too
		return "x" + sum
	}
	return sum
}

// stamp represents content that we do not read.
func stamp(info fs.FileInfo) string {
	return fmt.Sprintf("%d bytes at %d", info.Size(), info.ModTime().UnixNano())
}

// sum reads as many bytes as Lstat reported: the file may grow meanwhile, and some
// system files have no end.
func (c *contents) sum(path string, size int64) (string, error) {
	f, err := openFile(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // only read
	hash := fnv.New128a()
	for left := size; left > 0; {
		n, err := io.CopyN(hash, f, min(left, 1<<20))
		left -= n
		switch {
		case err == io.EOF:
			left = 0
		case err != nil:
			return "", err
		case c.ctx.Err() != nil:
			return "", c.ctx.Err()
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// hashed returns a hash, which hides text that others wrote.
func hashed(words string) string {
	hash := fnv.New128a()
	io.WriteString(hash, words) // never fails
	return hex.EncodeToString(hash.Sum(nil))
}

// openFile opens regular files only. It neither waits for a file that has become a pipe
// since Lstat, nor follows one that has become a link.
func openFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|careful, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
