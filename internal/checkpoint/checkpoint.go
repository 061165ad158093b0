// Package checkpoint keeps the work tree of a loop's iterations as commits of its
// repository, under refs/cursor-ralph/<the loop's id>/<name>: 0 is the work tree when
// the loop began, 3 that after iteration 3, and r1 that before the first restore.
//
// A checkpoint has the work tree as it is on disk, byte for byte: tracked files and
// untracked ones that are not ignored, and were not when the loop began. What one has
// stays in the next, as with any index, when a rule ignores it later. It leaves out
// what is inside submodules and nested repositories, and files that are too large or
// cannot be read; these keep the content that they had at the checkpoint before, and
// nothing here touches them.
//
// The user's index, HEAD, branches, reflogs and files stay as they are. Git works with
// an index and a git folder of our own (package git), so no hook, filter or other program
// of the repository runs, and no attribute or core.autocrlf changes a file's bytes. The
// objects and the references are in the user's repository: any git command shows them,
// as in git show refs/cursor-ralph/k7f2m/3:main.go, and git gc removes what no reference
// needs any more. An agent can write there too. So which commit and tree a checkpoint is
// stands in our folder, and a review and a restore check that each object is what its name says
// (whole.go).
package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Places is where checkpoints are made from.
type Places struct {
	Folder string   // for the indexes, private
	Copies string   // for copies of a work tree, private
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

	tree    string
	parent  string   // the commit of the one before
	leftOut []string // files that were there and are not in it; the folder of another repository has a slash at the end
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

// Take makes a checkpoint of a loop's work tree. One with this name is replaced, except
// that of the beginning.
func (p Places) Take(ctx context.Context, l loop.State, n Name) (m Made, err error) {
	release, err := p.lock(ctx, l)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, release()) }()
	r, err := p.open(l)
	if err != nil {
		return m, err
	}
	if m.Checkpoint, err = Find(r.list(), n); err == nil && n == After(0) {
		return m, nil
	}
	ctx, done := r.patience(ctx)
	defer func() { done(err) }()
	now, err := r.now(ctx)
	if err != nil {
		return m, err
	}
	m.Checkpoint, err = r.save(ctx, n, now)
	m.Why = now.left.describe()
	return m, err
}

// save makes a checkpoint of a snapshot. Its parent is the checkpoint before it.
func (r *repo) save(ctx context.Context, n Name, now snapshot) (c Checkpoint, err error) {
	c = Checkpoint{Name: n, At: time.Now(), tree: now.tree, leftOut: now.leftOut()}
	args := []string{"commit-tree", now.tree, "-m", "cursor-ralph " + r.loop.ShortID() + ": " + n.Title()}
	if before, ok := previous(r.list(), n); ok {
		c.parent = before.Commit
		args = append(args, "-p", c.parent)
	}
	out, err := r.ours.Run(ctx, "", args...)
	if err != nil {
		return c, err
	}
	c.Commit = strings.TrimSpace(string(out))
	if err := r.user.SetRef(Ref(r.loop, n), c.Commit); err != nil {
		return c, err
	}
	if err := ownfile.Folder(r.in(keptFolder)); err != nil {
		return c, err
	}
	return c, ownfile.Replace(r.in(keptFolder+"/"+string(n)), r.dir, c.kept(), true)
}

// keptFolder has a file for each checkpoint. The references in the repository keep git gc
// from their objects.
const (
	keptFolder = "kept"
	mostKept   = 256 << 20 // bytes of one, as of git's lists
)

// kept is what the file of a checkpoint says.
func (c Checkpoint) kept() []byte {
	about := []string{c.Commit, c.tree, c.parent, strconv.FormatInt(c.At.Unix(), 10)}
	return []byte(strings.Join(slices.Concat(about, c.leftOut), "\x00"))
}

// parseKept reads it.
func parseKept(n Name, kept string) (c Checkpoint, ok bool) {
	f := strings.Split(kept, "\x00")
	if len(f) < 4 || !n.IsValid() || !git.IsCommit(f[0]) || !git.IsCommit(f[1]) {
		return c, false
	}
	seconds, err := strconv.ParseInt(f[3], 10, 64)
	return Checkpoint{n, f[0], time.Unix(seconds, 0).UTC(), f[1], f[2], f[4:]}, err == nil
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

// list returns the checkpoints: the numbered ones in order, then those of restores.
func (r *repo) list() (all []Checkpoint) {
	entries, _ := os.ReadDir(r.in(keptFolder)) // there may be none
	for _, e := range entries {
		kept, _, err := ownfile.ReadWithin(r.in(keptFolder+"/"+e.Name()), 0, mostKept)
		if c, ok := parseKept(Name(e.Name()), string(kept)); err == nil && ok {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Checkpoint) int { return a.Name.compare(b.Name) })
	return all
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
