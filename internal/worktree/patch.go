package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Refs is where the names of commits begin that Diff knows beside their ids.
const Refs = "refs/cursor-ralph/"

// Patch is how two states of a work tree differ.
type Patch struct {
	Files []string // as git prints a name and its status
	Text  string
	Cut   bool // there is more than Text: git's output was too large, or files are not tracked
}

// Diffable returns an error where Diff cannot work: there is no repository, or no git.
func Diffable(dir string, env []string) error {
	if repository(dir) == "" {
		return ErrNoTree
	}
	_, err := lookPath(env)
	return err
}

// Diff returns the differences between two commits or trees. Without a from it begins
// at the current commit. Without a to it ends at the files as they are, of which those
// that are not tracked are only named. It takes as long as ctx allows.
func Diff(ctx context.Context, dir, from, to string, env []string) (p Patch, err error) {
	root := repository(dir)
	if root == "" {
		return p, ErrNoTree
	}
	g, err := newGit(ctx, root, env)
	if err != nil {
		return p, err
	}
	if from == "" {
		if from, err = g.current(ctx); err != nil {
			return p, err
		}
	}
	return g.diff(ctx, from, to)
}

// current is the current commit.
func (g git) current(ctx context.Context) (string, error) {
	head, _, err := g.status(ctx)
	if head == "" && err == nil {
		head = emptyTree(40)
	}
	return head, err
}

func (g git) diff(ctx context.Context, from, to string) (p Patch, err error) {
	for _, id := range []string{from, to} {
		if id != "" && !isCommit(id) && !strings.HasPrefix(id, Refs) {
			return p, fmt.Errorf("no commit: %.70q", id)
		}
	}
	// Of submodules only the commit counts: see status.
	how := []string{"diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=dirty"}
	ends := []string{from, to, "--"}
	if to == "" {
		how[0], ends = "diff-index", []string{from, "--"}
	}
	names, err := g.run(ctx, slices.Concat(how, []string{"--name-status"}, ends)...)
	if err != nil {
		return p, err
	}
	p.Files = lines(names)
	text, err := g.run(ctx, slices.Concat(how, []string{"-p"}, ends)...)
	switch {
	case errors.Is(err, errSlow):
		return p, err
	case err != nil:
		p.Cut = true
	default:
		p.Text = string(text)
	}
	if to != "" {
		return p, nil
	}
	untracked, err := g.run(ctx, "ls-files", "--others", "--exclude-standard")
	for _, name := range lines(untracked) {
		p.Files, p.Cut = append(p.Files, "A\t"+name), true
	}
	return p, err
}

func lines(out []byte) []string {
	return slices.DeleteFunc(strings.Split(string(out), "\n"), func(l string) bool { return l == "" })
}
