package pending

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// ErrHalfWritten tells that the only file to claim is still being written.
var ErrHalfWritten = errors.New("a pending file is still being written")

// Claimant is a conversation without a loop that looks for one.
type Claimant struct {
	ID         string
	Workspaces []string // its workspace roots
	Stopped    bool     // a completed stop: unbound files may be taken too
	Minimal    bool     // no hook binds files, so a token is not waited for
}

// Waiting tells, without a lock, whether there may be something to claim. In
// nearly every event there is not, and this is all that the event costs.
func (b *Box) Waiting(who Claimant) bool {
	if _, err := os.Lstat(b.path(who.ID)); err == nil {
		return true
	}
	if !who.Stopped {
		return false
	}
	if _, err := os.Lstat(b.places.Legacy()); err == nil {
		return true
	}
	return b.anyUnbound()
}

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

// Claim moves the file that who may have to the path live. It gives an
// fs.ErrNotExist where there is none, and ErrHalfWritten where the claim is
// worth another try. The warning tells of files that turned out to be broken or
// somebody else's; they do not keep from a claim.
func (b *Box) Claim(ctx context.Context, who Claimant, live string) (warning, err error) {
	if err := loop.CheckID(who.ID); err != nil {
		return nil, err
	}
	release, err := b.lock(ctx)
	if err != nil {
		return nil, err
	}
	warning, err = b.claim(who, live)
	return warning, errors.Join(err, release())
}

func (b *Box) claim(who Claimant, live string) (warning, err error) {
	named := b.item(who.ID, b.path(who.ID))
	switch err := b.usable(named); {
	case err == nil:
		return nil, os.Rename(named.Path, live)
	case errors.Is(err, ErrHalfWritten):
		return nil, err
	case !errors.Is(err, fs.ErrNotExist):
		warning = err
	}
	if !who.Stopped {
		return warning, fs.ErrNotExist
	}
	best, half, more := b.choose(who)
	warning = errors.Join(warning, more)
	switch {
	case best != nil:
		return warning, os.Rename(best.Path, live)
	case half:
		return warning, ErrHalfWritten
	}
	return warning, fs.ErrNotExist
}

// choose takes the newest file: of those bound to the claimant first, then of
// its workspace, then without a workspace, then the legacy one. There may be
// thousands, so only the newest of each kind is kept.
func (b *Box) choose(who Claimant) (best *Item, half bool, warning error) {
	var bound, here, anyone, legacy *Item
	worksIn := who.worksInOnce()
	for i := range b.unbound() {
		switch err := b.usable(i); {
		case errors.Is(err, ErrHalfWritten):
			half = true
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			warning = errors.Join(warning, err)
		case i.State.ConversationID == who.ID:
			bound = i.newer(bound)
		case !i.Unbound() || i.Stale() || b.waitsForBinding(i, who):
		case worksIn(i.State.Workspace), worksIn(i.State.Cwd):
			here = i.newer(here)
		case i.State.Workspace != "":
		case i.Name == legacyName:
			legacy = i.newer(legacy)
		default:
			anyone = i.newer(anyone)
		}
	}
	return cmp.Or(bound, here, anyone, legacy), half, warning
}

func (i Item) newer(than *Item) *Item {
	if than != nil && i.Age >= than.Age {
		return than
	}
	kept := i // not i itself, which would then be made anew for each file
	return &kept
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

func (b *Box) waitsForBinding(i Item, who Claimant) bool {
	return i.State.Token != "" && i.young(bindingGrace) && !who.Minimal
}

// unbound reads the unbound files and the legacy one, each in its turn.
func (b *Box) unbound() iter.Seq[Item] {
	return func(yield func(Item) bool) {
		names, _, err := b.stems()
		if err != nil || !yield(b.item(legacyName, b.places.Legacy())) {
			return
		}
		for _, name := range names {
			if !yield(b.item(name, b.path(name))) {
				return
			}
		}
	}
}

// stems lists the names of the unbound files, in no order, and tells how many
// names were listed.
func (b *Box) stems() (stems []string, listed int, err error) {
	names, err := ownfile.Names(b.places.Pending())
	stems = names[:0]
	for _, name := range names {
		if stem, ok := strings.CutSuffix(name, ".json"); ok && unboundStem(stem) {
			stems = append(stems, stem)
		}
	}
	return stems, len(names), err
}

// usable tells why a file cannot be claimed. A missing or ended one counts as
// not there; a broken one is moved aside, but not before its writer had time
// to finish.
func (b *Box) usable(i Item) error {
	switch {
	case errors.Is(i.Err, fs.ErrNotExist), i.Err == nil && i.State.Status.Ended():
		return fs.ErrNotExist
	case i.Err == nil:
		return nil
	case !i.broken:
		return fmt.Errorf("%s: %w", i.Path, i.Err)
	case i.young(writingTime):
		return ErrHalfWritten
	}
	aside, err := ownfile.Aside(i.Path, fmt.Sprintf(".corrupt-%d", b.now().Unix()))
	if err != nil {
		return err
	}
	return fmt.Errorf("%s is not a pending loop (%w); moved to %s", i.Path, i.Err, aside)
}

// Bind gives the unbound file that a token names to a conversation. Only the
// first binding finds it; later ones get an fs.ErrNotExist, and one whose
// conversation has a pending file already an fs.ErrExist.
func (b *Box) Bind(ctx context.Context, token, id string) (loop.State, error) {
	release, err := b.lock(ctx)
	if err != nil {
		return loop.State{}, err
	}
	l, err := b.bind(token, id)
	return l, errors.Join(err, release())
}

func (b *Box) bind(token, id string) (loop.State, error) {
	i, err := b.ByToken(token)
	if err != nil {
		return loop.State{}, err
	}
	if _, err := os.Lstat(b.path(id)); err == nil {
		return i.State, fs.ErrExist
	}
	return i.State, os.Rename(i.Path, b.path(id))
}

// ByToken gives the unbound file that a token names, or an fs.ErrNotExist.
func (b *Box) ByToken(token string) (Item, error) {
	if !IsToken(token) {
		return Item{}, fs.ErrNotExist
	}
	stem, _, _ := strings.Cut(token, ":")
	i := b.item(stem, b.path(stem))
	if i.Err == nil && (i.State.Token != token || i.State.Status.Ended()) {
		return i, fs.ErrNotExist
	}
	return i, i.Err
}

// IsToken tells whether a token names an unbound file, by its form.
func IsToken(token string) bool {
	stem, _, ok := strings.Cut(token, ":")
	return ok && unboundStem(stem)
}

// FindToken gives the token in the output of a command that ran cursor-ralph,
// or an empty string.
func FindToken(output string) string {
	_, after, ok := strings.Cut(output, TokenLine)
	if !ok {
		return ""
	}
	end := strings.IndexFunc(after, func(c rune) bool {
		return !(c == ':' || c == '-' || c == '.' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
	})
	if end < 0 {
		end = len(after)
	}
	return after[:end]
}
