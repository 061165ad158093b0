package acp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

const readable = 4 << 20 // bytes of a file that are given at once

var errOutside = errors.New("outside of the workspace")

// workspace is the folder that the agent works in: what it asks us to read and
// to write must be there, wherever links lead.
type workspace struct {
	dir  string // as it was given
	real string // without links
	root *os.Root
}

func openWorkspace(dir string) (*workspace, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("workspace %q: not an absolute path", dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	return &workspace{dir: filepath.Clean(dir), real: real, root: root}, nil
}

func (w *workspace) close() error { return w.root.Close() }

// absolute gives a path as it would be from anywhere.
func (w *workspace) absolute(path string) string {
	if path == "" {
		return ""
	}
	path = fromURI(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.dir, path)
	}
	return filepath.Clean(path)
}

// fromURI gives the path of a file's address.
func fromURI(path string) string {
	rest, ok := strings.CutPrefix(path, "file://")
	if !ok {
		return path
	}
	if u, err := url.PathUnescape(rest); err == nil {
		rest = u
	}
	if runtime.GOOS == "windows" {
		rest = strings.TrimPrefix(rest, "/")
	}
	return filepath.FromSlash(rest)
}

// relative gives a path from the workspace's folder, without a look at links.
// One that a shell or a link might turn into another is refused.
func (w *workspace) relative(path string) (string, error) {
	path = fromURI(path)
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r < 128 && os.IsPathSeparator(uint8(r)) })
	if path == "" || path[0] == '~' || slices.Contains(parts, "..") || strings.Contains(path, "://") || strings.ContainsRune(path, 0) {
		return "", errOutside
	}
	if !filepath.IsAbs(path) && !filepath.IsLocal(path) { // on Windows \x is on some drive, and c:x in some folder
		return "", errOutside
	}
	path = w.absolute(path)
	for _, base := range []string{w.dir, w.real} {
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return rel, nil
		}
	}
	return "", errOutside
}

// holds tells whether a path is in the workspace, wherever links lead. The
// folder of git is no file of it to write in: what stands there is executed.
func (w *workspace) holds(path string, write bool) bool {
	rel, err := w.resolve(path)
	return err == nil && !(write && ofGit(rel))
}

func ofGit(rel string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(part string) bool {
		return strings.EqualFold(strings.TrimRight(part, ". "), ".git")
	})
}

// straight tells whether no link is on the way to a path in the workspace.
func (w *workspace) straight(path string) bool {
	rel, err := w.relative(path)
	if err != nil {
		return false
	}
	resolved, err := w.resolve(path)
	return err == nil && resolved == rel
}

// resolve gives a path from the workspace's folder, without links. The file
// itself, and folders above it, need not be there yet.
func (w *workspace) resolve(path string) (string, error) {
	rel, err := w.relative(path)
	if err != nil {
		return "", err
	}
	there, rest := filepath.Join(w.real, rel), ""
	for {
		_, err := os.Lstat(there)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || there == w.real {
			return "", err
		}
		there, rest = filepath.Dir(there), filepath.Join(filepath.Base(there), rest)
	}
	real, err := filepath.EvalSymlinks(there) // fails for a link that leads nowhere yet
	if err != nil {
		return "", err
	}
	rel, err = filepath.Rel(w.real, filepath.Join(real, rest))
	if err != nil || !filepath.IsLocal(rel) {
		return "", errOutside
	}
	return rel, nil
}

// read gives lines of a file, from a first one (1 is the first) and at most so
// many; 0 is all.
func (w *workspace) read(ctx context.Context, path string, first, limit int) (string, error) {
	f, err := w.open(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := lineRange(ctx, f, max(first, 1), limit)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return text, nil
}

// lineRange reads lines, and no more of them than can be given.
func lineRange(ctx context.Context, f io.Reader, first, limit int) (string, error) {
	r, at := bufio.NewReaderSize(f, 64<<10), 1
	var text []byte
	for limit <= 0 || at < first+limit {
		part, err := r.ReadSlice('\n')
		if at >= first {
			text = append(text, part...)
		}
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case len(text) > readable:
			return "", fmt.Errorf("more than %d MiB: ask for fewer lines", readable>>20)
		case err == nil:
			at++
		case errors.Is(err, io.EOF):
			return string(text), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
	return string(text), nil
}

// write replaces what is in a file, or makes it, with the folders above.
func (w *workspace) write(path, content string) error {
	rel, err := w.relative(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := w.root.MkdirAll(filepath.Dir(rel), 0o777); err != nil {
		return err
	}
	f, err := w.open(path, os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Truncate(int64(len(content))), f.Close())
}

// open opens a plain file; another kind may wait for ever, or do something.
func (w *workspace) open(path string, flag int) (*os.File, error) {
	rel, err := w.relative(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	f, err := w.root.OpenFile(rel, flag|syscall.O_NONBLOCK, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: not a plain file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
