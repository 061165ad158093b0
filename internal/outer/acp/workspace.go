package acp

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/autoload"
)

var errOutside = errors.New("outside the workspace")

// workspace is the folder that an agent may edit.
type workspace struct {
	dir  string // as configured
	real string // without links
}

func openWorkspace(dir string) (workspace, error) {
	if !filepath.IsAbs(dir) {
		return workspace{}, fmt.Errorf("workspace %q: not an absolute path", dir)
	}
	real, err := filepath.EvalSymlinks(dir)
	return workspace{filepath.Clean(dir), real}, err
}

// absolute returns the path that an agent names, with its links.
func (w workspace) absolute(path string) string {
	path = fromURI(path)
	if path != "" && !filepath.IsAbs(path) {
		path = filepath.Join(w.dir, path)
	}
	return path
}

// fromURI returns the path of a file URI. Anything else stays as it is.
func fromURI(path string) string {
	rest, ok := strings.CutPrefix(path, "file://")
	if !ok {
		return path
	}
	if u, err := url.PathUnescape(strings.TrimPrefix(rest, "localhost")); err == nil {
		rest = u
	}
	if runtime.GOOS == "windows" {
		rest = strings.TrimPrefix(rest, "/")
	}
	return filepath.FromSlash(rest)
}

// resolve returns a path relative to the workspace with all links followed. The file and
// the folders above it need not exist yet. What no program takes for a plain path, such
// as ~ or another URI, is outside.
func (w workspace) resolve(path string) (string, error) {
	path = fromURI(path)
	if path == "" || path[0] == '~' || strings.Contains(path, ":/") && !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", errOutside
	}
	if !filepath.IsAbs(path) {
		// On Windows \x depends on the drive, and c:x on the drive's folder.
		if filepath.VolumeName(path) != "" || isSeparator(rune(path[0])) {
			return "", errOutside
		}
		path = w.real + string(filepath.Separator) + path // not joined: x/.. may be a link's
	}
	real, err := follow(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(w.real, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", errOutside
	}
	return rel, nil
}

const maxLinks = 40 // in one path, as on Linux

// follow returns an absolute path with all links followed, like filepath.EvalSymlinks,
// but nothing has to exist: writing to a link creates the file that it names.
func follow(path string) (string, error) {
	top := filepath.VolumeName(path) + string(filepath.Separator)
	at, rest, links := top, path[len(top):], 0
	for rest != "" {
		part := rest
		if i := strings.IndexFunc(rest, isSeparator); i >= 0 {
			part, rest = rest[:i], rest[i+1:]
		} else {
			rest = ""
		}
		next := filepath.Join(at, part)
		target, err := os.Readlink(next)
		if err != nil { // it is no link, or nothing yet
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: too many links", path)
		}
		if filepath.IsAbs(target) {
			at = filepath.VolumeName(target) + string(filepath.Separator)
			target = target[len(at):]
		}
		rest = target + string(filepath.Separator) + rest // not joined: that would take a/.. for nothing, and a may be a link
	}
	return at, nil
}

func isSeparator(r rune) bool { return r < 128 && os.IsPathSeparator(uint8(r)) }

// isObeyed reports whether programs execute, or agents obey, what is written to a path in
// the workspace: by its name, by where it leads, or because a link of such a name leads
// to it. It also reports true for the workspace as a whole.
func (w workspace) isObeyed(path, resolved string) bool {
	return resolved == "." || autoload.Has(w.relative(path)) || autoload.Has(resolved) || w.isLinkedTo(resolved)
}

// relative returns a path relative to the workspace with its links, or "." if it comes
// into the workspace only through one.
func (w workspace) relative(path string) string {
	path = filepath.Clean(w.absolute(path))
	for _, base := range []string{w.dir, w.real} {
		if rel, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	return "."
}

// isLinkedTo reports whether a link such as CLAUDE.md, in a folder above the path, leads
// to the path or above it.
func (w workspace) isLinkedTo(rel string) bool {
	for dir := filepath.Dir(rel); ; dir = filepath.Dir(dir) {
		entries, _ := os.ReadDir(filepath.Join(w.real, dir)) // it may not exist yet
		for _, e := range entries {
			if e.IsDir() || e.Type().IsRegular() || !autoload.Has(e.Name()) {
				continue
			}
			if real, err := w.resolve(filepath.Join(w.real, dir, e.Name())); err == nil && isBelow(rel, real) {
				return true
			}
		}
		if dir == "." {
			return false
		}
	}
}

func isBelow(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
