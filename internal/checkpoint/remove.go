package checkpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Remove removes the checkpoints of a loop, from its repository if that still exists.
// What only they needed, git gc may collect then.
func (p Places) Remove(ctx context.Context, l loop.State) (err error) {
	if _, err := os.Lstat(p.Folder); err != nil {
		return nil // there never were any
	}
	release, err := p.lock(ctx, l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	if err := p.removeRefs(l); err != nil {
		return err
	}
	return os.RemoveAll(p.dir(l))
}

func (p Places) removeRefs(l loop.State) error {
	r, err := git.Find(l.Workspace, p.Env)
	if errors.Is(err, git.ErrNoTree) {
		return nil
	}
	if err != nil {
		return err
	}
	if r.Writable() != nil {
		return nil // ours are not in another's
	}
	return r.RemoveRefs(folder(l))
}

// place is where a loop's repository is. The agent can write what leads there: it has to
// lead to the same one as at the beginning.
type place struct {
	Workspace string
	Folders   []string
}

const placeFile = "place.json"

// checkPlace keeps the place, or returns an error if it is another one by now.
func (r *repo) checkPlace() error {
	if err := r.user.Writable(); err != nil {
		return err
	}
	folders, err := r.user.Folders()
	if err != nil {
		return err
	}
	is, err := json.Marshal(place{r.loop.Workspace, folders})
	if err != nil {
		return err
	}
	was, _, err := ownfile.Read(r.in(placeFile), 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(ownfile.Folder(r.dir), ownfile.Replace(r.in(placeFile), r.dir, is, false))
	case err == nil && string(was) != string(is):
		return fmt.Errorf("the repository of %s is another one than when the loop began", r.loop.Workspace)
	}
	return err
}

// Unused returns the loops, with id and workspace only, that have made no checkpoint
// since a moment. A loop that was refused after its survey, or taken back before its
// beginning, has no record with which its checkpoint could go.
func (p Places) Unused(since time.Time) (unused []loop.State) {
	entries, _ := os.ReadDir(p.Folder) // there may never have been any
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.IsDir() || !loop.IsShortID(entry.Name()) || !info.ModTime().Before(since) {
			continue
		}
		var at place
		if data, _, err := ownfile.Read(filepath.Join(p.Folder, entry.Name(), placeFile), 0); err == nil && json.Unmarshal(data, &at) == nil {
			l := loop.State{ID: entry.Name()}
			l.Workspace = at.Workspace
			unused = append(unused, l)
		}
	}
	return unused
}
