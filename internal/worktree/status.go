package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// emptyTree returns what git compares a first commit with, by the length of
// names, or nothing for an unknown length. A map would be made at every event.
func emptyTree(length int) string {
	switch length {
	case 40:
		return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	case 64:
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return ""
}

// mostArguments is in bytes; Windows takes 32 KiB.
const mostArguments = 20 << 10

// status returns the commit and the files that differ from it, absolute and
// sorted.
//
// It lists all untracked files, not only new folders: a loop's work is often a
// new folder whose files change from turn to turn. Without renames git needs no
// search. Of submodules only the commit counts: a look inside would run git there
// with that repository's configuration, which we have not disabled.
func (g git) status(ctx context.Context) (head string, changed []string, err error) {
	out, err := g.run(ctx, "status", "--porcelain=v2", "--branch", "-z",
		"--untracked-files=all", "--no-renames", "--no-ahead-behind", "--ignore-submodules=dirty")
	if err != nil {
		return "", nil, err
	}
	head, names, err := parseStatus(string(out))
	if err != nil {
		return "", nil, err
	}
	return head, g.absolute(names), nil
}

// parseStatus reads git's porcelain format, version 2.
func parseStatus(out string) (head string, names []string, err error) {
	const oid = "# branch.oid "
	cut := errors.New("git status: its answer is cut off")
	found := false
	for len(out) > 0 {
		entry, rest, ended := strings.Cut(out, "\x00")
		if !ended {
			return "", nil, cut
		}
		out = rest
		if id, ok := strings.CutPrefix(entry, oid); ok {
			head, found = id, true
			continue
		}
		name, known := nameIn(entry)
		if !known {
			return "", nil, fmt.Errorf("git status: unknown line %.40q", entry)
		}
		if strings.HasPrefix(entry, "2 ") { // the old name follows
			old, rest, ended := strings.Cut(out, "\x00")
			if !ended {
				return "", nil, cut
			}
			names, out = append(names, old), rest
		}
		if name != "" {
			names = append(names, name)
		}
	}
	if head == "(initial)" {
		return "", names, nil
	}
	if !found || !isCommit(head) {
		return "", nil, fmt.Errorf("git status: it names no commit: %.40q", head)
	}
	return head, names, nil
}

// nameIn returns the file of an entry; a header has none. The fields before the
// name, such as whether it is staged, do not matter.
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
	case '2':
		fields = 9
	case 'u':
		fields = 10
	default:
		return "", false
	}
	parts := strings.SplitN(entry, " ", fields+1)
	return parts[len(parts)-1], len(parts) == fields+1
}

func isCommit(id string) bool {
	return emptyTree(len(id)) != "" && strings.Trim(id, "0123456789abcdef") == ""
}

// absolute makes git's names absolute, sorted and unique. It drops names that
// lead out of the work tree: git does not print such names.
func (g git) absolute(names []string) []string {
	var paths []string
	for _, name := range names {
		if name = filepath.FromSlash(name); filepath.IsLocal(name) {
			paths = append(paths, filepath.Join(g.root, name))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// unseen returns the files among named that git's status does not cover: those
// outside the work tree, and ignored ones. A tracked file that status does not
// list is as in the commit.
func (g git) unseen(ctx context.Context, named, changed []string) (unseen []string, err error) {
	var asked, args []string
	size := 0
	for _, path := range named {
		rel, inside := below(g.root, path)
		size += len(rel)
		switch _, listed := slices.BinarySearch(changed, path); {
		case listed:
		case inside && size < mostArguments:
			asked, args = append(asked, path), append(args, filepath.ToSlash(rel))
		default:
			unseen = append(unseen, path)
		}
	}
	if len(asked) == 0 {
		return unseen, nil
	}
	out, err := g.run(ctx, append([]string{"ls-files", "-z", "--cached", "--"}, args...)...)
	tracked := g.absolute(strings.Split(string(out), "\x00"))
	for _, path := range asked {
		if !slices.Contains(tracked, path) {
			unseen = append(unseen, path)
		}
	}
	return unseen, err
}

// between lists the files that differ between two commits.
func (g git) between(ctx context.Context, before, after string) ([]string, error) {
	if before == "" {
		before = emptyTree(len(after))
	}
	// A hyphen at the start would make it an option.
	if !isCommit(before) || !isCommit(after) {
		return nil, fmt.Errorf("no commits: %.70q, %.70q", before, after)
	}
	out, err := g.run(ctx, "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv",
		before, after, "--")
	if err != nil {
		return nil, err
	}
	paths := g.absolute(strings.Split(string(out), "\x00"))
	return paths[:min(len(paths), most)], nil
}
