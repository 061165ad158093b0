package loops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Put makes a loop pending. If it is for a known conversation, this is one step
// with checking the loop that runs there.
func (s *Loops) Put(ctx context.Context, l loop.State) error {
	if l.ConversationID == "" {
		_, err := s.Box.Put(ctx, l)
		return err
	}
	return Hinted(s.Store.Ask(ctx, l.ConversationID, func(running *loop.State) (replace bool, err error) {
		if running != nil && !l.Replace {
			return false, hint.New(fmt.Sprintf("a loop runs in this conversation already (iteration %d of %d)", running.Iteration(), running.MaxIterations),
				"go on with its task, or add --replace to begin a new one in its place")
		}
		path, err := s.Box.Put(ctx, l)
		if errors.Is(err, fs.ErrExist) {
			return false, hint.New("a loop is pending in this conversation already: "+path, "cursor-ralph cancel "+loop.Argument(l.ConversationID))
		}
		return true, err
	}))
}

// Apply applies an event to a loop that is live or pending.
func (s *Loops) Apply(ctx context.Context, id string, event loop.Event) (loop.State, loop.Action, error) {
	l, action, err := s.Store.Apply(ctx, id, event)
	if !errors.Is(err, fs.ErrNotExist) || event.Kind == loop.EventContinue {
		return l, action, err
	}
	l, action, err = s.Box.Apply(ctx, id, event)
	if errors.Is(err, fs.ErrNotExist) { // a chat may have claimed it meanwhile
		return s.Store.Apply(ctx, id, event)
	}
	return l, action, err
}

// Steer applies an event to a loop that was found, and to no other. One that was
// pending may be live by now.
func (s *Loops) Steer(ctx context.Context, l Loop, event loop.Event) (loop.State, loop.Action, error) {
	event.LoopID = l.State.ShortID()
	if !l.Pending {
		return s.Store.Apply(ctx, l.ID, event)
	}
	after, action, err := s.Box.Apply(ctx, l.ID, event)
	if !errors.Is(err, fs.ErrNotExist) {
		return after, action, err
	}
	claimed, unknown := s.Resolve(event.LoopID)
	if unknown != nil || !claimed.IsLive() {
		return after, action, err
	}
	return s.Store.Apply(ctx, claimed.ID, event)
}

// Finish archives a pending loop whose cancel, or its return, was killed in the middle.
func (s *Loops) Finish(ctx context.Context, l Loop) (Loop, error) {
	if _, _, err := s.Box.Apply(ctx, l.ID, loop.Event{}); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	return s.Resolve(l.State.ShortID())
}
