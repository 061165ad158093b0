package pending

import (
	"cmp"
	"context"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Apply lets an event happen to the pending loop of this name. It stays pending
// unless the event ends it. The error is fs.ErrNotExist if there is none: a
// conversation may have claimed it.
func (b *Box) Apply(ctx context.Context, name string, e loop.Event) (after loop.State, action loop.Action, err error) {
	items, err := b.List()
	if err != nil {
		return after, action, err
	}
	for _, i := range items {
		if i.Name != name || i.Err != nil || e.LoopID != "" && e.LoopID != i.State.ID {
			continue
		}
		killed := i.State.Status.Ended() // before it was archived, which change does now
		err := b.change(ctx, i, func(l loop.State) loop.State {
			after, action = loop.Decide(l, e, b.now())
			after.StartedAt, after.Token, after.Replace = l.StartedAt, l.Token, l.Replace
			return after
		}, b.archive(ctx, i.Name))
		if !killed || err != nil {
			return after, action, err
		}
	}
	return after, action, fs.ErrNotExist
}

// Return makes a loop pending again, under the name that it had when it was cancelled,
// and removes its record. The error is fs.ErrExist if its conversation has a loop, or
// one that waits.
func (b *Box) Return(ctx context.Context, name, record string, l loop.State) error {
	return b.whileHeld(ctx, changeLockName, func() error {
		return b.store.Ask(ctx, name, func(running *loop.State) (bool, error) {
			if running != nil {
				return false, fs.ErrExist
			}
			return false, b.locked(ctx, func() error { return b.giveBack(name, record, l) })
		})
	})
}

// giveBack is change the other way round: until the record is removed the file says
// that the loop has ended. So a kill never leaves it here and there.
func (b *Box) giveBack(name, record string, l loop.State) error {
	if err := b.makeRoom(name, b.path(name), l); err != nil {
		return err
	}
	if err := b.write(b.path(name), l); err != nil {
		return err
	}
	if err := b.store.Forget(record); err != nil {
		return err
	}
	l.Status, l.Reason, l.EndedAt, l.CancelledBy, l.Pauses, l.Token = loop.Running, "", time.Time{}, "", loop.Pauses{}, ""
	if loop.IsForAnyChat(name) {
		l.ConversationID = ""
	}
	return b.write(b.path(name), l)
}

// archive keeps the record of a loop under its conversation's name.
func (b *Box) archive(ctx context.Context, name string) func(loop.State) error {
	return func(l loop.State) error {
		l.ConversationID = cmp.Or(l.ConversationID, name)
		return b.store.Put(ctx, l)
	}
}

// change rewrites a pending loop. One that has ended then is marked in its file
// before it is archived: after a kill nobody claims it, and the next change goes
// on. The folder is not locked meanwhile, because archive may lock the loop, and a
// claim takes the two locks in the other order.
func (b *Box) change(ctx context.Context, i Item, change func(loop.State) loop.State, archive func(loop.State) error) error {
	return b.whileHeld(ctx, changeLockName, func() error {
		var l loop.State
		err := b.locked(ctx, func() (err error) {
			l, err = b.rewrite(i, change)
			return err
		})
		if err != nil || !l.Status.Ended() {
			return err
		}
		if err := archive(l); err != nil {
			return err
		}
		return b.locked(ctx, func() error {
			if now := b.item(i.Name, i.Path); now.Err != nil || !now.State.Status.Ended() {
				return nil // another loop was put there
			}
			return ownfile.Remove(i.Path)
		})
	})
}

func (b *Box) rewrite(i Item, change func(loop.State) loop.State) (loop.State, error) {
	now := b.item(i.Name, i.Path)
	if now.Err != nil || now.State.Status.Ended() {
		return now.State, now.Err
	}
	l := change(now.State)
	return l, b.write(i.Path, l)
}
