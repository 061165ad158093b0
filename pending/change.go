package pending

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Apply lets an event happen to the pending loop of this name. It stays pending
// unless the event ends it. The error is fs.ErrNotExist if there is none: a
// conversation may have claimed it.
func (b *Box) Apply(ctx context.Context, name string, e loop.Event) (after loop.State, action loop.Action, err error) {
	if err := loop.CheckID(name); err != nil {
		return after, action, err
	}
	i := b.Item(name)
	switch {
	case errors.Is(i.Err, ownfile.ErrNotOurs):
		return after, action, i.Err
	case i.Err != nil, e.LoopID != "" && e.LoopID != i.State.ID:
		return after, action, fs.ErrNotExist
	}
	killed := i.State.Status.Ended() // before it was archived, which change does now
	err = b.change(ctx, i, func(l loop.State) loop.State {
		after, action = loop.Decide(l, e, b.now())
		after.StartedAt, after.Replace = l.StartedAt, l.Replace
		return after
	})
	if killed && err == nil {
		err = fs.ErrNotExist
	}
	return after, action, err
}

// Return makes a loop pending again, under the name that it had when it was cancelled.
// The error is fs.ErrExist if its conversation has a loop, or one that waits.
func (b *Box) Return(ctx context.Context, name string, l loop.State) error {
	return b.store.Ask(ctx, name, func(running *loop.State) (bool, error) {
		if running != nil {
			return false, fs.ErrExist
		}
		return false, b.locked(ctx, func() error { return b.giveBack(name, l) })
	})
}

// giveBack writes the file first: until the record says otherwise the loop is cancelled.
func (b *Box) giveBack(name string, l loop.State) error {
	if err := b.makeRoom(name, b.path(name), l); err != nil {
		return err
	}
	l.Status, l.Reason, l.EndedAt, l.Pauses, l.Archive = loop.Running, "", time.Time{}, loop.Pauses{}, loop.Archive{}
	if loop.IsForAnyChat(name) {
		l.ConversationID = ""
	}
	if err := b.write(b.path(name), l); err != nil {
		return err
	}
	return b.store.Save(l)
}

// change rewrites a pending loop, or ends it.
func (b *Box) change(ctx context.Context, i Item, change func(loop.State) loop.State) error {
	return b.locked(ctx, func() error {
		now := b.item(i.Name, i.Path)
		if now.Err != nil {
			return now.Err
		}
		l := now.State
		if !l.Status.Ended() {
			l = change(l)
		}
		if l.Status.Ended() {
			return b.archive(now, l)
		}
		if !l.Equal(now.State.Commands) {
			if err := b.store.Change(l); err != nil {
				return err
			}
		}
		return b.write(i.Path, l)
	})
}

// archive ends a pending loop in its record, which is the step that counts, and removes its
// file. Where the record cannot be written, or nothing leads to it yet, the file says so: nobody claims it then.
func (b *Box) archive(i Item, l loop.State) error {
	if !i.void {
		l.ConversationID = cmp.Or(l.ConversationID, i.Name)
		if i.record == nil || i.Err != nil { // the file may have the id of another loop
			l = b.born(l)
			if err := b.write(i.Path, l); err != nil {
				return err
			}
		}
		if err := b.store.Save(l); err != nil {
			return errors.Join(err, b.write(i.Path, l))
		}
	}
	return ownfile.Remove(i.Path)
}
