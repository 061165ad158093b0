package pending

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

const (
	largeFolder = 200             // names; listing fewer costs next to nothing
	coarseClock = 2 * time.Second // two changes of a folder closer than this may have one time
	markOffset  = -time.Hour      // so that a mark cannot be taken for the time of a file just made
)

// anyUnbound looks for unbound files. In a large folder without one it marks
// the folder's time on the lock file, whose own time nobody needs, so that the
// next stop need not list the folder again while nothing in it has changed.
func (b *Box) anyUnbound() bool {
	folder, err := os.Lstat(b.places.Pending())
	switch {
	case err != nil:
		return false
	case !folder.IsDir():
		return true // Claim refuses it, and says so
	}
	mark := folder.ModTime().Add(markOffset)
	if lock, err := os.Lstat(b.lockPath()); err == nil && lock.ModTime().Equal(mark) {
		return false
	}
	stems, listed, err := b.stems()
	if err == nil && len(stems) == 0 && listed > largeFolder && b.now().Sub(folder.ModTime()) > coarseClock {
		b.leave(mark)
	}
	return errors.Is(err, ownfile.ErrNotOurs) || err == nil && len(stems) > 0 // Claim refuses the one too
}

// leave may fail: then the folder is listed again next time.
func (b *Box) leave(mark time.Time) {
	if _, err := ownfile.Append(b.lockPath(), nil); err == nil {
		_ = os.Chtimes(b.lockPath(), mark, mark)
	}
}

// chooseWhole chooses by outlines, and then reads the file that was chosen whole.
// One that turns out to be broken is passed over.
func (b *Box) chooseWhole(ctx context.Context, who Claimant) (chosen *Item, half bool, warning error) {
	broken := map[string]bool{}
	for {
		best, half, more := b.choose(ctx, who, broken)
		warning = errors.Join(warning, more)
		if best == nil {
			return nil, half, warning
		}
		i := b.item(best.name, best.path)
		switch err := b.claimable(i, who); {
		case err == nil:
			return &i, half, warning
		case errors.Is(err, errHalfWritten):
			return nil, true, warning
		case !errors.Is(err, fs.ErrNotExist):
			warning = errors.Join(warning, err)
		}
		broken[best.name] = true
	}
}

// choose takes the newest file: of those bound to the claimant first, then of
// its workspace, then without a workspace.
func (b *Box) choose(ctx context.Context, who Claimant, broken map[string]bool) (best *sketch, half bool, warning error) {
	var bound, here, anyone *sketch
	worksIn := who.worksInOnce()
	all, warning := b.unbound(ctx)
	for _, i := range all {
		switch {
		case broken[i.name], i.ended:
		case i.err != nil:
			switch err := b.usable(i.item()); {
			case errors.Is(err, errHalfWritten):
				half = true
			case !errors.Is(err, fs.ErrNotExist):
				warning = errors.Join(warning, err)
			}
		case i.owner == who.ID:
			bound = i.newer(bound)
		case i.owner != "" || i.byLine || i.age > staleAfter:
		case worksIn(i.workspace), worksIn(i.cwd):
			here = i.newer(here)
		case i.workspace != "":
		default:
			anyone = i.newer(anyone)
		}
	}
	return cmp.Or(bound, here, anyone), half, warning
}

func (i *sketch) newer(than *sketch) *sketch {
	if than != nil && i.age >= than.age {
		return than
	}
	return i
}

// worksInOnce looks only once at a folder of the disk that many files name.
func (who Claimant) worksInOnce() func(workspace string) bool {
	known := map[string]bool{}
	return func(workspace string) bool {
		works, ok := known[workspace]
		if !ok {
			works = who.worksIn(workspace)
			known[workspace] = works
		}
		return works
	}
}

func (who Claimant) worksIn(workspace string) bool {
	return workspace != "" && slices.ContainsFunc(who.Workspaces, func(root string) bool {
		return platform.SameFolder(runtime.GOOS, root, workspace) || sameOnDisk(root, workspace)
	})
}

// sameOnDisk sees through symbolic links: a shell may have come by another way
// than the editor.
func sameOnDisk(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// stems lists the names of the unbound files, in no order, and returns how many
// names there are.
func (b *Box) stems() (stems []string, listed int, err error) {
	names, err := ownfile.Names(b.places.Pending())
	stems = names[:0]
	for _, name := range names {
		if stem, ok := strings.CutSuffix(name, ".json"); ok && loop.IsForAnyChat(stem) {
			stems = append(stems, stem)
		}
	}
	return stems, len(names), err
}
