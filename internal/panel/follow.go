package panel

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// The times of looking.
const (
	restMin     = 200 * time.Millisecond // between two looks
	restFactor  = 15                     // so many times as long as a look took, at least
	restMax     = 10 * time.Second
	pollEvery   = time.Second      // where changes are not seen
	unseenEvery = 10 * time.Second // where they are, for one that was missed
)

// follower tells when to look again: after a change in one of the folders, but
// not too often, and now and then without one.
type follower struct {
	folders []string
	watcher *fsnotify.Watcher // nil where there is none
	wake    chan struct{}     // has room for one
	blind   bool              // changes of a folder that is there are not seen
}

func (p Panel) follow(ctx context.Context) *follower {
	f := &follower{folders: p.Folders, wake: make(chan struct{}, 1)}
	watch := p.watch
	if watch == nil {
		watch = fsnotify.NewWatcher
	}
	watcher, err := watch()
	if f.blind = err != nil; f.blind {
		return f
	}
	f.watcher = watcher
	go f.listen(ctx, p.Ours)
	f.addFolders()
	return f
}

func (f *follower) listen(ctx context.Context, ours func(string) bool) {
	defer f.watcher.Close()
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-f.watcher.Events:
			if !open {
				return
			}
			if ours(e.Name) {
				f.poke()
			}
		case _, open := <-f.watcher.Errors: // such as too many changes at once
			if !open {
				return
			}
			f.poke()
		}
	}
}

// poke asks for a look.
func (f *follower) poke() {
	select {
	case f.wake <- struct{}{}:
	default: // is asked for already
	}
}

// addFolders watches those that have come to be there, and tells whether all are
// watched.
func (f *follower) addFolders() (all bool) {
	if f.watcher == nil {
		return false
	}
	all = true
	watched := f.watcher.WatchList()
	for _, folder := range f.folders {
		if slices.Contains(watched, folder) {
			continue
		}
		if err := f.watcher.Add(folder); err != nil {
			all = false
			f.blind = f.blind || !errors.Is(err, fs.ErrNotExist)
		}
	}
	return all
}

// next waits until it is time to look again, after a look that took so long. It
// gives false when there is no more to be done.
func (f *follower) next(ctx context.Context, took time.Duration) bool {
	if !wait(ctx, min(max(restMin, restFactor*took), restMax), nil) {
		return false
	}
	every := unseenEvery
	if !f.addFolders() || f.blind {
		every = pollEvery
	}
	return wait(ctx, every, f.wake)
}

func wait(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-wake:
	case <-timer.C:
	}
	return true
}
