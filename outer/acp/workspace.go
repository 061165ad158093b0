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
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

const maxRead = 4 << 20 // bytes of a file per request

var errOutside = errors.New("outside the workspace")

// workspace is the agent's folder. What we read and write for the agent must be in
// it, links included.
type workspace struct {
	dir  string // as configured
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

// fromURI returns the path of a file URI. Anything else stays as it is.
func fromURI(path string) string {
	rest, ok := strings.CutPrefix(path, "file://")
	if !ok {
		return path
	}
	rest = strings.TrimPrefix(rest, "localhost")
	if u, err := url.PathUnescape(rest); err == nil {
		rest = u
	}
	if runtime.GOOS == "windows" && filepath.VolumeName(strings.TrimPrefix(rest, "/")) != "" {
		return filepath.FromSlash(strings.TrimPrefix(rest, "/"))
	}
	if !strings.HasPrefix(rest, "/") {
		return path
	}
	return filepath.FromSlash(rest)
}

// relative returns a path relative to the workspace and does not follow links. It
// rejects URIs and paths that a shell or a link might change.
func (w *workspace) relative(path string) (string, error) {
	path = fromURI(path)
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r < 128 && os.IsPathSeparator(uint8(r)) })
	if path == "" || path[0] == '~' || slices.Contains(parts, "..") || isURI(path) || strings.ContainsRune(path, 0) {
		return "", errOutside
	}
	if !filepath.IsAbs(path) && !filepath.IsLocal(path) { // on Windows \x depends on the drive, c:x on the current folder
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

func (w *workspace) contains(path string) bool {
	_, err := w.resolve(path)
	return err == nil
}

func (w *workspace) isRoot(path string) bool {
	rel, err := w.resolve(path)
	return err == nil && rel == "."
}

// escapes matches patterns that may leave their folder: an alternative that is
// absolute, empty or ..
var escapes = regexp.MustCompile(`[{,(|](/|\\|~|[A-Za-z]:|[,|)}])|(^|[/\\{},()|])\.\.($|[/\\{},()|])`)

// containsPattern reports whether everything that a path or a pattern may match is
// in the workspace.
func (w *workspace) containsPattern(pattern string) bool {
	if escapes.MatchString(pattern) {
		return false
	}
	return w.contains(pattern) || runtime.GOOS == "windows" && w.contains(withoutWildcards(pattern))
}

// withoutWildcards returns the folder of a pattern. Windows does not allow wildcards
// in names, and looking for one fails.
func withoutWildcards(pattern string) string {
	i := strings.IndexAny(pattern, `*?|"<>`)
	if i < 0 || strings.Contains(pattern[i:], "..") {
		return pattern
	}
	return pattern[:strings.LastIndexAny(pattern[:i], `/\`)+1] + "."
}

// isURI reports whether a path is a URI that fromURI does not convert, such as
// file:/x.
func isURI(path string) bool {
	return strings.Contains(path, "://") || len(path) >= 5 && strings.EqualFold(path[:5], "file:")
}

func (w *workspace) isWithoutLinks(path string) bool {
	rel, err := w.relative(path)
	if err != nil {
		return false
	}
	resolved, err := w.resolve(path)
	return err == nil && resolved == rel
}

// resolve returns a path relative to the workspace with all links followed. The
// file and the folders above it need not exist yet.
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
	real, err := filepath.EvalSymlinks(there) // fails for a dangling link
	if err != nil {
		return "", err
	}
	rel, err = filepath.Rel(w.real, filepath.Join(real, rest))
	if err != nil || !filepath.IsLocal(rel) {
		return "", errOutside
	}
	return rel, nil
}

// read returns at most limit lines of a file, starting with first (from 1). A limit
// of 0 means no limit.
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

func (w *workspace) current(ctx context.Context, path string) string {
	text, err := w.read(ctx, path, 1, 0)
	if err != nil {
		return "" // it does not exist, or is too large or not a plain file
	}
	return text
}

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
		case len(text) > maxRead:
			return "", fmt.Errorf("more than %d MiB: ask for fewer lines", maxRead>>20)
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

// open opens a plain file. Any other kind may block or have effects.
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
