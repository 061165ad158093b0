package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// repo is the repository of a loop's workspace.
type repo struct {
	loop loop.State
	user *git.Repo
	git  *git.Git // with the user's index, to read
	ours *git.Git // with ours
	dir  string   // our git folder
}

// open opens a loop's repository, and makes the folder of our own git.
func (p Places) open(l loop.State) (*repo, error) {
	user, err := git.Find(l.Workspace, p.Env)
	if err != nil {
		return nil, err
	}
	r := &repo{loop: l, user: user, dir: p.dir(l)}
	if err := r.checkPlace(); err != nil {
		return nil, err
	}
	if r.git, err = user.In(r.dir, user.Exclude(), ""); err != nil {
		return nil, err
	}
	r.ours = r.git.With([]string{
		"GIT_INDEX_FILE=" + r.in("index"), "GIT_OPTIONAL_LOCKS=1",
		"GIT_AUTHOR_NAME=cursor-ralph", "GIT_AUTHOR_EMAIL=cursor-ralph@localhost",
		"GIT_COMMITTER_NAME=cursor-ralph", "GIT_COMMITTER_EMAIL=cursor-ralph@localhost",
	})
	return r, nil
}

func (p Places) dir(l loop.State) string { return filepath.Join(p.Folder, l.ShortID()) }

// in returns the path of a file of our git folder.
func (r *repo) in(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

// forgetIndex has the next checkpoint begin with an empty index again.
func (r *repo) forgetIndex() error { return gone(ownfile.Remove(r.in("index"))) }

const lockSlots = 64

// lock keeps two processes from making checkpoints of one loop at once, and removes
// what a killed one left.
func (p Places) lock(ctx context.Context, l loop.State) (release func() error, err error) {
	for _, dir := range []string{filepath.Dir(p.Folder), p.Folder, p.dir(l)} {
		if err := ownfile.Folder(dir); err != nil {
			return nil, err
		}
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(l.ShortID())) // a hash accepts everything
	release, err = ownfile.Lock(ctx, filepath.Join(p.Folder, fmt.Sprintf(".%02d.lock", h.Sum32()%lockSlots)))
	if err != nil {
		return nil, err
	}
	for _, left := range []string{"index.lock", otherIndex, otherIndex + ".lock", reviewIndex, reviewIndex + ".lock", stageFolder, ownObjects, blobsFolder, rulesFolder + ".new"} {
		if err := os.RemoveAll(filepath.Join(p.dir(l), left)); err != nil {
			return nil, errors.Join(err, release())
		}
	}
	if err := ownfile.Sweep(p.dir(l), time.Now()); err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// stuckFile is there after git has got nothing done until it was killed, as where a
// .gitignore is a pipe. Then no stop waits that long again until git succeeds.
const (
	stuckFile  = "stuck"
	stuckLimit = 2500 * time.Millisecond
)

// patience limits a checkpoint. The caller says how it went.
func (r *repo) patience(ctx context.Context) (limited context.Context, done func(error)) {
	before := r.indexTime()
	cancel := func() {}
	if _, err := os.Lstat(r.in(stuckFile)); err == nil {
		ctx, cancel = context.WithTimeout(ctx, stuckLimit)
	}
	return ctx, func(err error) {
		switch {
		case err == nil, !r.indexTime().Equal(before):
			_ = os.Remove(r.in(stuckFile)) // an earlier stop may have left it
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			_ = ownfile.Replace(r.in(stuckFile), r.dir, nil, false) // or the next one waits again
		}
		cancel()
	}
}

func (r *repo) indexTime() time.Time {
	info, err := os.Lstat(r.in("index"))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// otherIndex is an index for a moment, reviewIndex for a review; stageFolder has files that it names.
const (
	otherIndex  = "index.other"
	reviewIndex = "index.review"
	stageFolder = "stage"
)

// file is an entry of a tree.
type file struct{ mode, object, path string }

// checkOut writes files into one of our folders, out of a git's objects. A symbolic link becomes a file with its
// target: nothing there leads out of the folder.
func (r *repo) checkOut(ctx context.Context, from *git.Git, folder string, files []file) error {
	if err := os.MkdirAll(folder, 0o700); err != nil || len(files) == 0 {
		return err
	}
	var index strings.Builder
	for _, f := range files {
		index.WriteString(f.mode + " " + f.object + "\t" + f.path + "\x00")
	}
	other := from.With([]string{"GIT_INDEX_FILE=" + r.in(otherIndex)}, "-c", "core.symlinks=false")
	_, err := other.Run(ctx, index.String(), "update-index", "-z", "--index-info")
	if err == nil {
		_, err = other.Run(ctx, "", "checkout-index", "-q", "--all", "--prefix="+filepath.ToSlash(folder)+"/")
	}
	return errors.Join(err, gone(os.Remove(r.in(otherIndex))))
}

// tree writes our index as a tree.
func (r *repo) tree(ctx context.Context) (string, error) {
	out, err := r.ours.Run(ctx, "", "write-tree")
	return strings.TrimSpace(string(out)), err
}

// gone makes a missing file no error.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
