package acp

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// executedNames are the files and folders whose content tools execute on their own:
// hooks of git, hooks and tasks of editors and agents, direnv's script, GitHub's
// workflows. They count at any depth: a workspace may contain other repositories.
var executedNames = []string{".git", ".cursor", ".claude", ".vscode", ".envrc", ".husky", ".devcontainer", ".devcontainer.json", ".github/workflows"}

// isExecuted reports whether a path in the workspace is one of these, by name or
// through a link.
func (w *workspace) isExecuted(path string) bool {
	rel, err := w.relative(path)
	if err != nil {
		return false
	}
	resolved, err := w.resolve(path)
	if err != nil {
		return false
	}
	return hasExecutedName(rel) || hasExecutedName(resolved) || w.isLinkedTo(resolved)
}

func hasExecutedName(rel string) bool {
	parts := strings.Split(filepath.ToSlash(rel), "/")
	for i := range parts {
		for _, name := range executedNames {
			if overlaps(parts[i:], strings.Split(name, "/")) {
				return true
			}
		}
	}
	return false
}

// overlaps reports whether a path begins with a name or is a folder above it, which
// may be written as a whole.
func overlaps(parts, name []string) bool {
	for i := range min(len(parts), len(name)) {
		if !sameName(parts[i], name[i]) {
			return false
		}
	}
	return true
}

// sameName reports whether two names are the same file on some file system: case,
// invisible characters (HFS+), trailing dots and spaces, and the name of a stream
// (Windows) do not count.
func sameName(part, name string) bool {
	part = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, part)
	part, _, _ = strings.Cut(part, ":")
	return strings.EqualFold(strings.TrimRight(part, ". "), name)
}

// isLinkedTo reports whether a link such as .git, in a folder above the path, leads
// to the path or above it.
func (w *workspace) isLinkedTo(rel string) bool {
	for dir := filepath.Dir(rel); ; dir = filepath.Dir(dir) {
		if slices.ContainsFunc(executedNames, func(name string) bool {
			real, err := w.resolve(filepath.Join(w.real, dir, filepath.FromSlash(name)))
			return err == nil && isBelow(rel, real)
		}) {
			return true
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
