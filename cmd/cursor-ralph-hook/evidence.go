package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// lookWait is how long the editor is held by a git that hangs.
const lookWait = 2300 * time.Millisecond

// withBaseline gives a loop that is asked for what its workspace looks like before it,
// and what its verification runs.
func (h *handler) withBaseline(ctx context.Context, l loop.State) loop.State {
	var err error
	if l.Tree, err = worktree.Look(ctx, l.Workspace, nil, os.Environ()); err != nil {
		h.log(hooklog.Line{Action: "git-not-asked", Why: err.Error()})
	}
	l.VerifyFiles = worktree.Recipe(l.Verify, l.Workspace)
	return l
}

// lookAround adds to a completed stop what the workspace looks like now, which
// tells whether the turn changed anything. It is done without the loop's lock:
// git may take its time.
func (h *handler) lookAround(ctx context.Context, e *loop.Event) {
	id := h.in.ConversationID
	l, err := h.store.Read(id)
	if err != nil || e.Status != loop.Completed || l.Stop || l.Status != loop.Running && l.Status != loop.Waiting {
		return // what is wrong with it is found out when it is decided on
	}
	turn, err := h.store.Unfolded(id, l)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	l.Workspace = cmp.Or(l.Workspace, e.Workspace)
	ctx, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	if e.Tree, e.Committed, err = worktree.After(ctx, l, turn, os.Environ()); err != nil {
		h.log(hooklog.Line{Action: "git-not-asked", Why: err.Error()})
	}
}
