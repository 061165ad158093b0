package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// Runner runs git in the work tree around a folder as Look does, without the programs
// and hooks that the repository configures. Git finds no other program either: neither
// its PATH nor its own folder exists. It does not disable filters; a command that would
// run one fails.
type Runner struct{ git git }

// IsTree reports whether a folder is in a work tree.
func IsTree(dir string) bool { return Root(dir) != "" }

// Root returns the folder of the work tree around a folder, or "".
func Root(dir string) string { return repository(dir) }

// NewRunner finds the work tree and git.
func NewRunner(dir string, env []string) (Runner, error) {
	root := repository(dir)
	if root == "" {
		return Runner{}, ErrNoTree
	}
	g, err := findGit(root, env)
	return Runner{g}, err
}

// Root returns the work tree's folder.
func (r Runner) Root() string { return r.git.root }

// With returns a Runner with more variables, and with more options before the command.
func (r Runner) With(env []string, options ...string) Runner {
	r.git.env = slices.Concat(r.git.env, env)
	r.git.safe = slices.Concat(r.git.safe, options)
	return r
}

// Run runs a git command and returns its output.
func (r Runner) Run(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	out, err := proc.Command{
		Path: r.git.path, Dir: r.git.root, Env: r.git.env, Args: slices.Concat(r.git.safe, args),
		Stdin: stdin, Limit: mostContent, Contained: true,
	}.Output(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, errors.Join(fmt.Errorf("git %s: %w", args[0], errSlow), ctx.Err())
	case err != nil:
		return out, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// mostContent is larger than a file of a checkpoint, and than any list.
const mostContent = 256 << 20

// IsReadable reports whether a path is a regular file that can be opened.
func IsReadable(path string) bool {
	f, err := openFile(path)
	if err != nil {
		return false
	}
	_ = f.Close() // not read
	return true
}
