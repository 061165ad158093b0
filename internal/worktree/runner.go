package worktree

import (
	"context"
	"errors"
	"slices"
)

// Runner runs git in the work tree around a folder as Look does, without the programs
// and hooks that the repository configures. Git finds no other program either: neither
// its PATH nor its own folder exists. It does not disable filters; a command that would
// run one fails.
type Runner struct{ git git }

// NewRunner finds the work tree and git.
func NewRunner(dir string, env []string) (Runner, error) {
	root := Root(dir)
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
	out, err := r.git.output(ctx, stdin, mostContent, args)
	if errors.Is(err, errSlow) {
		err = errors.Join(err, ctx.Err())
	}
	return out, err
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
