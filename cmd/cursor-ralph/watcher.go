package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/engine"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/watcher"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// watcherWait is how long another watcher may hold the lock before this one
// leaves the work to it: longer than the hook's look whether one runs.
const watcherWait = time.Second

// runWatcher runs the watcher, one process per user, until no loop runs and no live file of
// an ended one is left.
func runWatcher(ctx context.Context, e *env, _ []string) error {
	for {
		release, err := e.lock(ctx, e.Places.WatcherLock(), watcherWait)
		if errors.Is(err, context.DeadlineExceeded) {
			return nil // another one runs
		}
		if err != nil {
			return err
		}
		w := &watching{env: e, changes: e.Loops.LiveChanges(), loops: map[string]watcher.Loop{}, began: time.Now()}
		if err := errors.Join(w.untilIdle(ctx), release()); err != nil || ctx.Err() != nil {
			return err
		}
		// A hook that began a loop while we held the lock has started no other watcher.
		if !watcher.AnyRuns(w.live(), w.Now()) {
			return nil
		}
	}
}

// watching is the work of a watcher process.
type watching struct {
	*env
	changes  *loops.Changes
	loops    map[string]watcher.Loop
	schedule watcher.Schedule
	began    time.Time
	children sync.WaitGroup // that deliver
}

// live leaves out what cannot be read, which doctor shows. Without their folder, as
// after a demo, no loops are left.
func (w *watching) live() []watcher.Loop {
	if _, err := os.Stat(w.Places.Base); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	_ = w.changes.Poll(func(c loops.Change) {
		delete(w.loops, c.Key)
		if !c.Gone && !c.State.Status.Ended() {
			w.loops[c.Key] = watcher.Of(c.ID, c.State, w.Loops.StallAfter)
		}
	})
	return slices.SortedFunc(maps.Values(w.loops), func(a, b watcher.Loop) int { return strings.Compare(a.ID, b.ID) })
}

func (w *watching) untilIdle(ctx context.Context) error {
	defer w.children.Wait()
	for {
		loops := w.live()
		if left := w.Store.RemoveEnded(); !left && !watcher.AnyRuns(loops, w.Now()) {
			return nil
		}
		due, next := w.schedule.Due(loops, w.Now(), time.Since(w.began))
		for _, d := range due {
			if err := w.do(ctx, d); err != nil && ctx.Err() == nil {
				w.logWatched(d.Loop.ID, "error", err.Error())
			}
		}
		if proc.Sleep(ctx, min(next.Sub(w.Now()), watcher.Poll)) != nil {
			return nil
		}
	}
}

// do brings an event to a loop, and acts on what comes of it.
func (w *watching) do(ctx context.Context, d watcher.Duty) error {
	g := engine.Engine{Store: w.Store, Warn: func(err error) { w.logWatched(d.Loop.ID, "error", err.Error()) }}
	l, action, err := g.Decide(ctx, d.Loop.ID, loop.Event{Kind: d.Kind, Lost: loop.Lost{Followup: d.Loop.Followup}, Stalled: loop.Stalled{StallAfter: d.Loop.StallAfter}})
	if err != nil {
		return err
	}
	switch action.Kind {
	case loop.Inject:
		w.logWatched(d.Loop.ID, string(d.Kind), action.Why())
		w.children.Go(func() { w.deliver(ctx, l) })
	case loop.Notify:
		w.logWatched(d.Loop.ID, string(d.Kind), action.Why())
		return notify.Later(w.env.Env, d.Loop.ID)
	}
	return nil
}

// deliver has the continue line sent by a process of its own, and reports what
// that process could not report.
func (w *watching) deliver(ctx context.Context, l loop.State) {
	id, injection := l.ConversationID, l.Delivery.ID
	err := cli.Self().InjectNow(ctx, handoff.Inject{Conversation: id, Injection: injection})
	if err == nil {
		return
	}
	now, read := w.Store.Read(id)
	if read != nil || !now.Injecting(injection, w.Now()) {
		return
	}
	failed := loop.Delivery{ID: injection, Outcome: loop.Outcome("it could not be sent: " + err.Error())}
	l, _, err = w.Store.Apply(ctx, id, loop.Event{Kind: loop.EventInjected, Injected: loop.Injected{Line: failed}})
	if err != nil {
		w.logWatched(id, "error", err.Error())
		return
	}
	w.handOver(l)
}

func (e *env) logWatched(id, action, why string) {
	e.Log(hooklog.Line{Conversation: id, Event: "watcher", Action: action, Why: why})
}
