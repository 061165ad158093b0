package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
)

// beginPending begins a loop that waits for any chat in the one whose agent called us:
// the user sent its line there. At a user's terminal it says what to do.
func (e *env) beginPending(ctx context.Context, l loop.State, event loop.Event, forUser bool) error {
	if forUser {
		return e.Say("%s", e.howToBegin(l))
	}
	to, err := e.Conversation()
	if err != nil {
		return err
	}
	workspace, err := e.Workspace()
	if err != nil {
		return err
	}
	who := pending.Claimant{ID: to, Workspaces: []string{workspace}}
	if to == "" {
		return e.offer(ctx, l, who)
	}
	switch _, err := e.Loops.Box.Begin(ctx, l.ShortID(), who); {
	case errors.Is(err, fs.ErrExist):
		return hint.New("a loop runs in this chat already", "tell the user; `cursor-ralph cancel "+e.shortOf(to)+"` ends that one")
	case err != nil:
		return err
	}
	action, err := e.applyContinue(ctx, loops.Loop{ID: to, State: l}, event)
	if err != nil {
		return err
	}
	e.StartWatcher()
	_, err = fmt.Fprint(e.Stdout, action.Text)
	return err
}

// offer prints the task for an agent whose chat is not known. The loop is that of the next stop here.
func (e *env) offer(ctx context.Context, l loop.State, who pending.Claimant) error {
	l, err := e.Loops.Box.Offer(ctx, l.ShortID(), who)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(e.Stdout, l.StartText())
	return err
}

// howToBegin says how a loop begins that waits for any chat.
func (e *env) howToBegin(l loop.State) string {
	id := l.ShortID()
	return fmt.Sprintf("%s\nSend this line in a Cursor chat to begin.\nTo take it back: cursor-ralph cancel %s%s", loop.ContinueLine(id), id, e.noHook(l.Workspace))
}
