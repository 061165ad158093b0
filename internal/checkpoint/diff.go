package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

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
func (p Places) Read(ctx context.Context, l loop.State) (*Reader, error) {
	r, err := p.open(ctx, l)
	if err != nil {
		return nil, err
	}
	all, err := r.list(ctx)
	return &Reader{r, all}, err
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
func (d *Reader) Root() string { return d.r.user.Root() }

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
	return d.r.changes(ctx, from.Commit, to.Commit)
}

// Patch returns the differences as git prints them: of one file, or of all if path is
// empty.
func (d *Reader) Patch(ctx context.Context, from, to Checkpoint, path string) ([]byte, error) {
	return d.r.patch(ctx, from.Commit, to.Commit, path)
}

// Content returns a file as it was, byte for byte. git show does the same, by
// Ref and the file's name in the work tree.
func (d *Reader) Content(ctx context.Context, at Checkpoint, path string) ([]byte, error) {
	return d.r.ours.Run(ctx, "", "cat-file", "blob", at.Commit+":"+path)
}

func (r *repo) patch(ctx context.Context, from, to, path string) ([]byte, error) {
	args := []string{"diff-tree", "-r", "-p", "-M", "--no-ext-diff", "--no-textconv", from, to, "--"}
	if path != "" {
		args = append(args, path)
	}
	return r.ours.Run(ctx, "", args...)
}

func (r *repo) changes(ctx context.Context, from, to string) ([]Change, error) {
	out, err := r.ours.Run(ctx, "", "diff-tree", "-r", "-z", "--raw", "--numstat", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", from, to, "--")
	if err != nil {
		return nil, err
	}
	return parseChanges(names(out))
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

// Since returns what has changed in the work tree since the loop began, as a patch and as
// a list. It makes no checkpoint.
func (p Places) Since(ctx context.Context, l loop.State) (patch []byte, list []Change, err error) {
	release, err := p.lock(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	r, err := p.open(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	all, err := r.list(ctx)
	if err != nil {
		return nil, nil, err
	}
	base, err := Find(all, After(0))
	if err != nil {
		return nil, nil, err
	}
	now, err := r.now(ctx, all)
	if err != nil {
		return nil, nil, err
	}
	if list, err = r.changes(ctx, base.Commit, now.tree); err != nil {
		return nil, nil, err
	}
	patch, err = r.patch(ctx, base.Commit, now.tree, "")
	return patch, list, err
}
