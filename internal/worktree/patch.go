package worktree

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
)

// Patch is how a work tree differs from its current commit.
type Patch struct {
	Files []string // as git prints a name and its status
	Text  string
	Cut   bool // there is more than Text: git's output was too large, or files are not tracked
}

// Diffable returns an error where Diff cannot work: there is no repository, or no git.
func Diffable(dir string, env []string) error {
	if Root(dir) == "" {
		return ErrNoTree
	}
	_, err := lookPath(env)
	return err
}

// Diff returns what was not committed. Files that are not tracked are only named. It
// takes as long as ctx allows.
func Diff(ctx context.Context, dir string, env []string) (p Patch, err error) {
	root := Root(dir)
	if root == "" {
		return p, ErrNoTree
	}
	g, err := newGit(ctx, root, env)
	if err != nil {
		return p, err
	}
	head, _, err := g.status(ctx)
	if err != nil {
		return p, err
	}
	return g.diff(ctx, cmp.Or(head, emptyTree(40)))
}

func (g git) diff(ctx context.Context, from string) (p Patch, err error) {
	// Of submodules only the commit counts: see status.
	differing := func(how string) ([]byte, error) {
		return g.run(ctx, "diff-index", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules=dirty", how, from, "--")
	}
	names, err := differing("--name-status")
	if err != nil {
		return p, err
	}
	p.Files = lines(names)
	text, err := differing("-p")
	switch {
	case errors.Is(err, errSlow):
		return p, err
	case err != nil:
		p.Cut = true
	default:
		p.Text = string(text)
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
