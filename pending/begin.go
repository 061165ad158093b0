package pending

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Begin makes the loop with this short id, which waits for any conversation, the live
// one of who: its user named it there. The error is fs.ErrNotExist if none waits, and
// fs.ErrExist if the conversation has a loop, or one of its own that waits.
func (b *Box) Begin(ctx context.Context, id string, who Claimant) (c Claimed, err error) {
	if err := loop.CheckID(who.ID); err != nil {
		return c, err
	}
	there := fs.ErrExist // of a conversation with a loop, where nothing begins
	err = b.store.Claim(ctx, who.ID, func(live string) error {
		there = nil
		return b.locked(ctx, func() error { return b.begin(id, who, live) })
	})
	if err = cmp.Or(err, there); err != nil {
		return c, err
	}
	c.Loop, _, err = b.store.Apply(ctx, who.ID, loop.Event{})
	c.New = err == nil
	return c, err
}

func (b *Box) begin(id string, who Claimant, live string) error {
	if _, err := os.Lstat(b.path(who.ID)); err == nil {
		return fs.ErrExist
	}
	i, err := b.named(id)
	if err != nil {
		return err
	}
	if l, moved := who.workingIn(i.State); moved {
		if i.State.HasAny() {
			return elsewhere(i)
		}
		if err := b.keepAndWrite(i, l); err != nil {
			return err
		}
		i.State = l
	}
	return b.takeTo(i, who, live)
}

// elsewhere refuses a loop whose commands would run where the user did not ask for them:
// an agent may have a line put into a chat of its own folder.
func elsewhere(i Item) error {
	return fmt.Errorf("%w: %s", ErrElsewhere, i.State.Workspace)
}

// keepAndWrite writes a loop that is pending somewhere else now.
func (b *Box) keepAndWrite(i Item, l loop.State) error {
	if i.record != nil {
		if err := b.store.Keep(l); err != nil {
			return err
		}
	}
	return b.write(i.Path, l)
}

// named returns the file that waits for any conversation, by its loop's short id.
func (b *Box) named(id string) (Item, error) {
	items, err := b.List()
	for _, i := range items {
		if i.Err == nil && i.State.ShortID() == id && i.State.ConversationID == "" && !i.State.Status.Ended() {
			return i, nil
		}
	}
	return Item{}, errors.Join(err, fs.ErrNotExist)
}

// workingIn returns a loop with the workspace of who, if that does not hold the loop's
// own, whose work tree it then forgets.
func (who Claimant) workingIn(l loop.State) (_ loop.State, moved bool) {
	if len(who.Workspaces) == 0 || l.Workspace != "" && who.Holds(l.Workspace) {
		return l, false
	}
	l.Workspace, l.Tree = who.Workspaces[0], loop.Tree{}
	return l, true
}

// Holds reports whether a folder is one of who's workspaces or inside it.
func (who Claimant) Holds(folder string) bool {
	for dir := folder; ; dir = filepath.Dir(dir) {
		if who.worksIn(dir) {
			return true
		}
		if platform.SameFolder(runtime.GOOS, dir, filepath.Dir(dir)) {
			return false
		}
	}
}
