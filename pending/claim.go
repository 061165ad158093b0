package pending

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// errHalfWritten says that the only file to claim is still being written.
var errHalfWritten = errors.New("a pending file is still being written")

// Claimant is a conversation without a loop that looks for one.
type Claimant struct {
	ID         string
	Workspaces []string // its workspace roots
	Stopped    bool     // a completed stop: unbound files may be taken too
}

// Waiting reports, without a lock, whether there may be something to claim. In
// nearly every event there is not, and this is all that the event costs.
func (b *Box) Waiting(who Claimant) bool {
	if _, err := os.Lstat(b.path(who.ID)); err == nil {
		return true
	}
	if !who.Stopped {
		return false
	}
	return b.anyUnbound()
}

// Claimed is the loop that a conversation has now.
type Claimed struct {
	New     bool       // this call made it live, and not the hook of another event
	Loop    loop.State // a new one
	Warning error      // files that turned out to be broken, or another user's
}

// poll is how often to look whether a file was written whole.
const poll = 20 * time.Millisecond

// Claim makes the file that who may have the live loop of its conversation. The
// error is fs.ErrNotExist if there is none. A completed stop waits for a file that
// is still being written.
func (b *Box) Claim(ctx context.Context, who Claimant) (c Claimed, err error) {
	for {
		c, err = b.claimOnce(ctx, who, c)
		if !errors.Is(err, errHalfWritten) {
			return c, err
		}
		if !who.Stopped || proc.Sleep(ctx, poll) != nil {
			return c, fs.ErrNotExist
		}
	}
}

func (b *Box) claimOnce(ctx context.Context, who Claimant, c Claimed) (Claimed, error) {
	err := b.store.Claim(ctx, who.ID, func(live string) error {
		warning, err := b.take(ctx, who, live)
		c.Warning, c.New = errors.Join(c.Warning, warning), err == nil
		return err
	})
	if err != nil {
		c.New = false
	}
	if !c.New {
		return c, err
	}
	e := loop.Event{}
	if len(who.Workspaces) > 0 {
		e.Workspace = who.Workspaces[0] // where the window has several, the first
	}
	c.Loop, _, err = b.store.Apply(ctx, who.ID, e)
	c.New = err == nil // fs.ErrNotExist: it was cancelled at this very moment
	return c, err
}

// take moves the file that who may have to the path live.
func (b *Box) take(ctx context.Context, who Claimant, live string) (warning, err error) {
	if err := loop.CheckID(who.ID); err != nil {
		return nil, err
	}
	err = b.locked(ctx, func() error {
		warning, err = b.claim(ctx, who, live)
		return err
	})
	return warning, err
}

func (b *Box) claim(ctx context.Context, who Claimant, live string) (warning, err error) {
	named := b.item(who.ID, b.path(who.ID))
	switch err := b.claimable(named, who); {
	case err == nil:
		return named.ignored(), b.takeTo(named, who, live)
	case errors.Is(err, errHalfWritten):
		return nil, err
	case !errors.Is(err, fs.ErrNotExist):
		warning = err
	}
	if !who.Stopped {
		return warning, fs.ErrNotExist
	}
	best, half, more := b.chooseWhole(ctx, who)
	warning = errors.Join(warning, more)
	switch {
	case best != nil:
		return errors.Join(warning, best.ignored()), b.takeTo(*best, who, live)
	case half:
		return warning, errHalfWritten
	}
	return warning, fs.ErrNotExist
}

// takeTo makes a loop the conversation's and moves its file to the path live, which is the
// step that counts.
func (b *Box) takeTo(i Item, who Claimant, live string) error {
	if i.gated {
		aside, err := ownfile.Aside(i.Path, fmt.Sprintf(".refused-%d", b.now().Unix()))
		return errors.Join(fmt.Errorf("%s: %w; moved to %s. To have its gates, send /ralph-loop or use cursor-ralph start", i.Path, errGated, aside), err)
	}
	if err := b.entitle(i, who, i.State.Workspace); err != nil {
		return err
	}
	if err := b.store.Enter(who.ID, i.State); err != nil {
		return err
	}
	return ownfile.Publish(i.Path, live)
}

// ignored says which commands stand in the file and are not run.
func (i Item) ignored() error {
	if i.State.Misplaced != "" {
		return fmt.Errorf("%s: %s", i.Path, i.State.Misplaced)
	}
	return nil
}

// errGated is of a request that names gates, which an agent may have written: without them any promise would end its loop.
var errGated = errors.New("not started, because it names a command or a task list, which a file here cannot give")

// entitle makes a loop the conversation's in the state folder.
func (b *Box) entitle(i Item, who Claimant, workspace string) error {
	if i.record == nil {
		return nil
	}
	if workspace == "" && len(who.Workspaces) > 0 {
		workspace = who.Workspaces[0]
	}
	return b.store.Assign(i.State.ID, who.ID, workspace)
}

// ErrElsewhere is of a loop whose commands were asked for in another place.
var ErrElsewhere = errors.New("the loop's commands were asked for in another folder, or more than a day ago")

// claimable is usable for a conversation. A loop with commands must have been asked for
// there, or lately in a folder that the conversation has open: its file may be forged.
func (b *Box) claimable(i Item, who Claimant) error {
	if err := b.usable(i); err != nil {
		return err
	}
	switch r := i.record; {
	case r == nil || r.ConversationID == who.ID:
		return nil
	case r.ConversationID != "":
		return fmt.Errorf("%s: %w", i.Path, errOthers)
	case !r.HasAny():
		return nil
	case b.now().Sub(r.CreatedAt) < staleAfter && (r.Workspace == "" || who.Holds(r.Workspace)):
		return nil
	}
	return fmt.Errorf("%s: %w", i.Path, ErrElsewhere)
}

// usable returns why a file cannot be claimed. A missing or ended one counts as
// not there, and its file is removed if its record says so; a broken one is moved aside,
// but not before its writer had time to finish.
func (b *Box) usable(i Item) error {
	switch {
	case i.void:
		return cmp.Or(ownfile.Remove(i.Path), fs.ErrNotExist)
	case errors.Is(i.Err, fs.ErrNotExist), i.Err == nil && i.State.Status.Ended():
		return fs.ErrNotExist
	case i.Err == nil:
		return nil
	case !i.broken:
		return fmt.Errorf("%s: %w", i.Path, i.Err)
	case i.young(writingTime):
		return errHalfWritten
	}
	aside, err := ownfile.Aside(i.Path, fmt.Sprintf(".corrupt-%d", b.now().Unix()))
	if err != nil {
		return err
	}
	return fmt.Errorf("%s is not a pending loop (%w); moved to %s", i.Path, i.Err, aside)
}
