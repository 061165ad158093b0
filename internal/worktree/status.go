package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// status returns the files that differ from a commit, absolute and sorted: those that
// are not as in the index, and those that are.
//
// It lists all untracked files, not only new folders: a loop's work is often a
// new folder whose files change from turn to turn. Without renames git needs no
// search. Of submodules only the commit counts: a look inside would run git there
// with that repository's configuration.
func (r repo) status(ctx context.Context, commit string) (changed, staged []string, err error) {
	g, err := r.In(r.dir, r.Exclude(), commit)
	if err != nil {
		return nil, nil, err
	}
	out, err := g.Run(ctx, "", "status", "--porcelain=v2", "--branch", "-z",
		"--untracked-files=all", "--no-renames", "--no-ahead-behind", "--ignore-submodules=dirty")
	if err != nil {
		return nil, nil, err
	}
	changed, staged, err = parseStatus(string(out))
	return inside(r.Root, changed), inside(r.Root, staged), err
}

// parseStatus reads git's porcelain format, version 2.
func parseStatus(out string) (changed, staged []string, err error) {
	if !strings.HasPrefix(out, "# branch.oid ") {
		return nil, nil, errors.New("git status: it names no commit")
	}
	for len(out) > 0 {
		entry, rest, ended := strings.Cut(out, "\x00")
		if !ended {
			return nil, nil, errors.New("git status: its answer is cut off")
		}
		out = rest
		switch name, known := nameIn(entry); {
		case !known:
			return nil, nil, fmt.Errorf("git status: unknown line %.40q", entry)
		case name == "":
		case entry[0] == '1' && entry[3] == '.':
			staged = append(staged, name)
		default:
			changed = append(changed, name)
		}
	}
	return changed, staged, nil
}

// nameIn returns the file of an entry; a header has none. Of the fields before the name
// only one matters, which says whether the file is as in the index.
func nameIn(entry string) (name string, known bool) {
	if len(entry) < 2 || entry[1] != ' ' {
		return "", false
	}
	fields := 0
	switch entry[0] {
	case '#':
		return "", true
	case '?', '!':
		fields = 1
	case '1':
		fields = 8
	case 'u':
		fields = 10
	default:
		return "", false
	}
	parts := strings.SplitN(entry, " ", fields+1)
	return parts[len(parts)-1], len(parts) == fields+1
}

// inside makes git's names absolute, sorted and unique. It drops names that
// lead out of the work tree: git does not print such names.
func inside(root string, names []string) []string {
	var paths []string
	for _, name := range names {
		if name = filepath.FromSlash(name); filepath.IsLocal(name) {
			paths = append(paths, filepath.Join(root, name))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
