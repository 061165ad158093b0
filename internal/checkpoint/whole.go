package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
)

// Git does not check that an object is what its name says when it reads one, and an agent
// can replace any in the repository. So what a review and a restore compare is first
// copied into objects of our own, for which git computes each name again.

const (
	ownObjects  = "objects"
	blobsFolder = "blobs"
)

// compare lists the changes from one tree to another, and returns the git that has
// nothing but these, for a patch.
func (r *repo) compare(ctx context.Context, from, to string) (*git.Git, []Change, error) {
	if err := os.MkdirAll(r.in(ownObjects), 0o700); err != nil {
		return nil, nil, err
	}
	own := r.ours.With([]string{"GIT_OBJECT_DIRECTORY=" + r.in(ownObjects), "GIT_INDEX_FILE=" + r.in(otherIndex)}, "-c", "core.fsync=none")
	for _, tree := range []string{from, to} {
		if err := r.copyTree(ctx, own, tree); err != nil {
			return nil, nil, err
		}
	}
	out, err := own.Run(ctx, "", "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to, "--")
	if err != nil {
		return nil, nil, err
	}
	list, err := parseChanges(git.Names(out))
	if err == nil {
		err = r.copyBlobs(ctx, own, list)
	}
	if err != nil {
		return nil, nil, err
	}
	list, err = changes(ctx, own, from, to)
	return own, list, err
}

// copyTree copies a tree's names.
func (r *repo) copyTree(ctx context.Context, own *git.Git, tree string) error {
	theirs := r.ours.With([]string{"GIT_INDEX_FILE=" + r.in(otherIndex)})
	if _, err := theirs.Run(ctx, "", "read-tree", tree); err != nil {
		return err
	}
	out, err := own.Run(ctx, "", "write-tree", "--missing-ok")
	if err == nil && strings.TrimSpace(string(out)) != tree {
		err = fmt.Errorf("the tree %s in the repository is not what its name says", tree)
	}
	return err
}

// copyBlobs copies the contents of both sides. Where one is not what its name says, that
// name is missing then, and git says so.
func (r *repo) copyBlobs(ctx context.Context, own *git.Git, changes []Change) error {
	var files []file
	var paths strings.Builder
	seen := map[string]bool{}
	for _, c := range changes {
		for _, s := range []side{c.old, c.new} {
			if s.mode == absent || s.mode == submodule || seen[s.object] {
				continue
			}
			seen[s.object] = true
			name := strconv.Itoa(len(files))
			files = append(files, file{"100644", s.object, name})
			paths.WriteString(filepath.ToSlash(r.in(blobsFolder)) + "/" + name + "\n")
		}
	}
	if len(files) == 0 {
		return nil
	}
	defer os.RemoveAll(r.in(blobsFolder)) // or the next one does it
	if err := r.checkOut(ctx, r.ours, r.in(blobsFolder), files); err != nil {
		return err
	}
	_, err := own.Run(ctx, paths.String(), "hash-object", "-w", "--no-filters", "--stdin-paths")
	return err
}
