// Package checkpoint keeps the work tree of a loop's iterations as commits of its
// repository, under refs/cursor-ralph/<the loop's id>/<name>: 0 is the work tree when
// the loop began, 3 that after iteration 3, and r1 that before the first restore.
//
// A checkpoint has what git would call the work tree: tracked files and untracked ones
// that are not ignored, byte for byte as they are on disk. It leaves out what is inside
// submodules and nested repositories, and files that are too large or cannot be read;
// these keep the content that they had in the index, and nothing here touches them.
//
// The user's index, HEAD, branches, reflogs and files stay as they are. Git works with
// an index and a configuration of our own (repo.go), so no hook, filter or other program
// of the repository runs, and no attribute or core.autocrlf changes a file's bytes. The
// objects and the references are in the user's repository: any git command shows them,
// as in git show refs/cursor-ralph/k7f2m/3:main.go, and git gc removes what no reference
// needs any more.
package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Places is where checkpoints are made from.
type Places struct {
	Folder string   // for the indexes, private
	Env    []string // for git
}

// Name is the name of a checkpoint: a number, or one of a restore as r1.
type Name string

// After returns the name of the checkpoint after an iteration.
func After(iteration int) Name { return Name(strconv.Itoa(iteration)) }

// Number returns the iteration; a checkpoint of a restore has none.
func (n Name) Number() (int, bool) {
	number, err := strconv.Atoi(string(n))
	return number, err == nil && number >= 0 && strconv.Itoa(number) == string(n)
}

// IsValid reports whether it can be the name of a checkpoint.
func (n Name) IsValid() bool {
	number, _ := strings.CutPrefix(string(n), "r")
	_, ok := Name(number).Number()
	return ok && len(n) < 10
}

// Checkpoint is one that was made.
type Checkpoint struct {
	Name   Name
	Commit string
	At     time.Time
	parent string // the commit of the one before
}

// Ref returns the reference of a loop's checkpoint.
func Ref(l loop.State, n Name) string { return folder(l) + string(n) }

// folder of a loop's references.
func folder(l loop.State) string { return "refs/cursor-ralph/" + l.ShortID() + "/" }

// Made is a new checkpoint.
type Made struct {
	Checkpoint
	Why string // which files are not in it as they are on disk, in words; empty if all are
}

// Take makes a checkpoint of a loop's work tree. One with this name is replaced.
func (p Places) Take(ctx context.Context, l loop.State, n Name) (m Made, err error) {
	release, err := p.lock(ctx, l)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, release()) }()
	r, err := p.open(ctx, l)
	if err != nil {
		return m, err
	}
	return r.take(ctx, n)
}

func (r *repo) take(ctx context.Context, n Name) (m Made, err error) {
	all, err := r.list(ctx)
	if err != nil {
		return m, err
	}
	now, err := r.now(ctx, all)
	if err != nil {
		return m, err
	}
	c, err := r.save(ctx, n, now, all)
	return Made{c, now.left.words()}, err
}

// save makes a checkpoint of a snapshot. Its parent is the checkpoint before it.
func (r *repo) save(ctx context.Context, n Name, now snapshot, all []Checkpoint) (c Checkpoint, err error) {
	args := []string{"commit-tree", now.tree, "-F", "-"}
	if before, ok := previous(all, n); ok {
		args = append(args, "-p", before.Commit)
	}
	title := "cursor-ralph " + r.loop.ShortID() + ": " + n.Title()
	out, err := r.ours.Run(ctx, r.memo(now).message(title), args...)
	if err != nil {
		return c, err
	}
	commit := strings.TrimSpace(string(out))
	_, err = r.user.Run(ctx, "", "update-ref", Ref(r.loop, n), commit)
	return Checkpoint{Name: n, Commit: commit, At: time.Now()}, err
}

// Title says in words what it is of.
func (n Name) Title() string {
	switch number, ok := n.Number(); {
	case !ok:
		return "before restore " + string(n[1:])
	case number == 0:
		return "before iteration 1"
	default:
		return "after iteration " + string(n)
	}
}

// previous returns the newest numbered checkpoint before n.
func previous(all []Checkpoint, n Name) (before Checkpoint, ok bool) {
	limit, numbered := n.Number()
	for _, c := range all {
		if number, is := c.Name.Number(); is && (!numbered || number < limit) {
			before, ok = c, true
		}
	}
	return before, ok
}

// List returns the checkpoints of a loop: the numbered ones in order, then those of
// restores.
func (p Places) List(ctx context.Context, l loop.State) ([]Checkpoint, error) {
	r, err := p.user(l)
	if err != nil {
		return nil, err
	}
	return r.list(ctx)
}

func (r *repo) list(ctx context.Context) (all []Checkpoint, err error) {
	out, err := r.user.Run(ctx, "", "for-each-ref", "--format=%(refname) %(objectname) %(committerdate:unix) %(parent)", folder(r.loop))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue // not a commit, so not ours
		}
		n := Name(strings.TrimPrefix(fields[0], folder(r.loop)))
		seconds, err := strconv.ParseInt(fields[2], 10, 64)
		if err == nil && n.IsValid() {
			all = append(all, Checkpoint{n, fields[1], time.Unix(seconds, 0).UTC(), strings.Join(fields[3:], "")})
		}
	}
	slices.SortFunc(all, func(a, b Checkpoint) int { return a.Name.compare(b.Name) })
	return all, nil
}

func (n Name) compare(other Name) int {
	a, isA := n.Number()
	b, isB := other.Number()
	switch {
	case isA && isB:
		return cmp.Compare(a, b)
	case isA:
		return -1
	case isB:
		return 1
	}
	return cmp.Or(cmp.Compare(len(n), len(other)), strings.Compare(string(n), string(other)))
}

// Find returns a checkpoint by its name.
func Find(all []Checkpoint, n Name) (Checkpoint, error) {
	for _, c := range all {
		if c.Name == n {
			return c, nil
		}
	}
	return Checkpoint{}, &UnknownError{n, false}
}

// UnknownError means that there is no checkpoint with a name, or none before it.
type UnknownError struct {
	Name   Name
	Before bool
}

// Error says which.
func (e *UnknownError) Error() string {
	if e.Before {
		return "there is no checkpoint before " + string(e.Name)
	}
	return fmt.Sprintf("there is no checkpoint %.20q", string(e.Name))
}
