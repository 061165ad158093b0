// Package cli is what every command of cursor-ralph works with: its streams,
// places and flags, the loop that is meant, and errors for people. It has no
// command itself.
package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/worktree"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// UntilSignalled returns a context that a signal ends which is meant to end us cleanly: under nohup SIGHUP stays ignored. A
// second Ctrl-C ends us at once.
func UntilSignalled(ctx context.Context) context.Context {
	list := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, list...)
	context.AfterFunc(ctx, stop)
	return ctx
}

// OutliveReader ignores SIGPIPE: if the reader (tee, head) exits first, writes fail
// with EPIPE and cleanup still runs.
func OutliveReader() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// Env is what a command has to work with: its streams, its flags, and the loops.
type Env struct {
	Terminal
	Options
	Now    func() time.Time
	Places platform.Places
	Loops  *loops.Loops
	Store  *state.Store // of Loops
}

// Open finds the folders, and the loops in them.
func (e *Env) Open() error {
	places, err := platform.Find(e.Getenv)
	if errors.As(err, new(*fs.PathError)) {
		return err
	} else if err != nil {
		return hint.New(err.Error(), "unset it, or give the whole path")
	}
	e.Places = places
	e.Loops = loops.New(places, e.Now)
	e.Store = e.Loops.Store
	if !e.ByAgent() { // whose calls start nothing that outlives them: the next event of the chat does it
		e.Store.Ended = e.StartOnEnd
	}
	c, _ := e.Config() // doctor shows what is wrong with it
	e.Loops.StallAfter, _ = loop.ParseDuration(c.Get("hook.stall-after").Text)
	return nil
}

// Viewer is what a look at a work tree needs.
func (e *Env) Viewer() worktree.Viewer {
	return worktree.Viewer{Folder: e.Places.Looks(), Env: os.Environ()}
}
