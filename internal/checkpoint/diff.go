package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Change is a file that differs between two checkpoints.
type Change struct {
	Path    string
	Added   int // lines
	Deleted int
	Binary  bool
	old     side
	new     side
}

// side is a file in one of two trees.
type side struct{ mode, object string }

const (
	absent    = "000000"
	link      = "120000"
	submodule = "160000"
	program   = "100755"
)

// Kind is added, deleted or changed.
func (c Change) Kind() string {
	switch absent {
	case c.old.mode:
		return "added"
	case c.new.mode:
		return "deleted"
	}
	return "changed"
}

// Reader reads the checkpoints of one loop.
type Reader struct {
	r   *repo
	All []Checkpoint
}

// Read opens the checkpoints of a loop, whether it has ended or not.
func (p Places) Read(l loop.State) (*Reader, error) {
	r, err := p.open(l)
	if err != nil {
		return nil, err
	}
	return &Reader{r, r.list()}, nil
}

// ErrNone means that a loop has no checkpoints.
var ErrNone = errors.New("there are no checkpoints")

// Last returns the newest checkpoint of an iteration.
func (d *Reader) Last() (Checkpoint, error) {
	c, ok := previous(d.All, "r")
	if !ok {
		return c, ErrNone
	}
	return c, nil
}

// Find returns a checkpoint by its name.
func (d *Reader) Find(n Name) (Checkpoint, error) { return Find(d.All, n) }

// Root is the folder to which the files' names belong.
func (d *Reader) Root() string { return d.r.user.Root }

// Lines adds up the lines of changes.
func Lines(list []Change) (added, deleted int) {
	for _, c := range list {
		added, deleted = added+c.Added, deleted+c.Deleted
	}
	return added, deleted
}

// Before returns the checkpoint that another one continues.
func (d *Reader) Before(c Checkpoint) (Checkpoint, error) {
	for _, b := range d.All {
		if b.Commit == c.parent {
			return b, nil
		}
	}
	return Checkpoint{}, &UnknownError{c.Name, true}
}

// Changes lists the files that differ between two checkpoints.
func (d *Reader) Changes(ctx context.Context, from, to Checkpoint) ([]Change, error) {
	return changes(ctx, d.r.ours, from.Commit, to.Commit)
}

// Patch returns the differences as git prints them: of some files, or of all if there
// are no paths.
func (d *Reader) Patch(ctx context.Context, from, to Checkpoint, paths ...string) ([]byte, error) {
	return patch(ctx, d.r.ours, from.Commit, to.Commit, paths...)
}

// Known returns an *UnknownFileError if a path is in neither checkpoint, nor in the work tree.
func (d *Reader) Known(ctx context.Context, from, to Checkpoint, paths ...string) error {
	return d.r.known(ctx, paths, from.Commit, to.Commit)
}

// Content returns a file as it was, byte for byte. git show does the same, by
// Ref and the file's name in the work tree.
func (d *Reader) Content(ctx context.Context, at Checkpoint, path string) ([]byte, error) {
	return d.r.ours.Run(ctx, "", "cat-file", "blob", at.Commit+":"+path)
}

func patch(ctx context.Context, g *git.Git, from, to string, paths ...string) ([]byte, error) {
	return g.Run(ctx, "", append([]string{"diff-tree", "-r", "-p", "-M", "--no-ext-diff", "--no-textconv", from, to, "--"}, paths...)...)
}

func changes(ctx context.Context, g *git.Git, from, to string) ([]Change, error) {
	out, err := g.Run(ctx, "", "diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", from, to, "--")
	if err != nil {
		return nil, err
	}
	return parseChanges(git.Names(out))
}

// parseChanges reads a line for each file, as git diff-tree --raw prints them, and then
// one for its lines, as --numstat does.
func parseChanges(tokens []string) (list []Change, err error) {
	at := map[string]int{}
	for i := 0; i < len(tokens); i++ {
		if raw, ok := strings.CutPrefix(tokens[i], ":"); ok {
			f := strings.Fields(raw)
			if i++; len(f) != 5 || i == len(tokens) {
				return nil, errors.New("git diff-tree: its answer is cut off")
			}
			at[tokens[i]] = len(list)
			list = append(list, Change{Path: tokens[i], old: side{f[0], f[2]}, new: side{f[1], f[3]}})
			continue
		}
		parts := strings.SplitN(tokens[i], "\t", 3)
		if len(parts) != 3 {
			return nil, fmt.Errorf("git diff-tree: unknown line %.40q", tokens[i])
		}
		n, ok := at[parts[2]]
		if !ok {
			continue
		}
		list[n].Binary = parts[0] == "-"
		list[n].Added, _ = strconv.Atoi(parts[0])
		list[n].Deleted, _ = strconv.Atoi(parts[1])
	}
	return list, nil
}
