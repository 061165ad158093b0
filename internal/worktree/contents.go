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
	// mostHashed files are read, and mostBytes of them together. What is beyond
	// counts by size and time: that is known without reading.
	mostHashed = 2000
	mostBytes  = 32 << 20
	// deleted is the content of a file that is not there.
	deleted = "deleted"
)

// contents are the files read so far, within bounds.
type contents struct {
	ctx   context.Context
	files int   // that may still be read
	bytes int64 // that may still be read
	of    map[string]string
}

func newContents(ctx context.Context) *contents {
	return &contents{ctx: ctx, files: mostHashed, bytes: mostBytes, of: map[string]string{}}
}

// read reads what it has not read yet, until the time is over.
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

// there leaves out what is not there.
func (c *contents) there(paths []string) map[string]string {
	found := map[string]string{}
	for _, path := range paths {
		if content, ok := c.of[path]; ok && content != deleted {
			found[path] = content
		}
	}
	return found
}

// list gives the first files with their content. It goes into JSON, so a name
// that is not UTF-8 is made so: two would differ after a journey through a file.
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

// content describes what is at a path, never what a symbolic link leads to.
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

// stamp stands for a content that is not read.
func stamp(info fs.FileInfo) string {
	return fmt.Sprintf("%d bytes at %d", info.Size(), info.ModTime().UnixNano())
}

// sum reads as much as there was when the file was looked at: it may grow while
// it is read, and some files of a system have no end.
func (c *contents) sum(path string, size int64) (string, error) {
	f, err := openFile(path)
	if err != nil {
		return "", err
	}
	defer f.Close() // read only: nothing is lost
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

// hashed is for words of somebody else's choice.
func hashed(words string) string {
	hash := fnv.New128a()
	io.WriteString(hash, words) // a hash takes everything
	return hex.EncodeToString(hash.Sum(nil))
}

// openFile opens a regular file alone. What has become a pipe or a link since it
// was looked at is not waited for, and not followed.
func openFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|careful, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("no regular file")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
