// Package pending keeps loops that were asked for and that no conversation has
// claimed yet: one file each, in the form of a state file, in a private folder.
//
// A file whose name is a conversation id belongs to that conversation. One
// named <unix-milliseconds>-<pid> is unbound: a tool-use hook binds it by its
// token, or the next conversation of its workspace that stops claims it. A
// claim is a rename, so it happens at most once and a kill leaves the loop
// either pending or claimed. Loops that run are in package state, whose lock is
// taken before the folder's.
//
// Methods release their locks before they return. ctx limits the wait for a lock.
// Errors wrap fs.ErrNotExist if there is no such file, and fs.ErrExist if the
// conversation has one already.
package pending

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Box is the folder of pending loops.
type Box struct {
	places platform.Places
	store  *state.Store
	now    func() time.Time
}

// New returns the box in the given places, whose loops become live in the store.
func New(places platform.Places, store *state.Store, now func() time.Time) *Box {
	return &Box{places, store, now}
}

// TokenLine begins the line by which the command line tells a hook which file
// it wrote; the token follows.
const TokenLine = "cursor-ralph-token: " // #nosec G101 -- the word, and no token

// Item is a pending file.
type Item struct {
	Name  string // without folder and .json
	Path  string
	Age   time.Duration // since the file was last written
	State loop.State
	Err   error // what is wrong with the file

	broken bool // it could be read and is not a loop's file, or not yet
}

// Stale reports whether an unbound item is too old to be claimed.
func (i Item) Stale() bool { return i.Age > staleAfter && loop.IsForAnyChat(i.Name) }

// young reports whether a file was just written. One from the future was not.
func (i Item) young(d time.Duration) bool { return i.Age.Abs() < d }

const (
	staleAfter   = 24 * time.Hour
	writingTime  = 2 * time.Second  // a file may be half-written for so long
	bindingGrace = 60 * time.Second // a file with a token waits so long for its binding
)

// Put writes a loop that was asked for: under its conversation's name, or
// unbound, with a token made from secret if there is one. It returns the file's
// path and its token. The error is fs.ErrExist if the conversation has one already.
func (b *Box) Put(ctx context.Context, l loop.State, secret string) (path, token string, err error) {
	err = b.locked(ctx, func() error {
		path, token, err = b.put(l, secret)
		return err
	})
	return path, token, err
}

func (b *Box) put(l loop.State, secret string) (path, token string, err error) {
	name := l.ConversationID
	if name == "" {
		name = b.freeStem()
		if secret != "" {
			token = name + ":" + secret
		}
		l.Token = token
	} else if err := loop.CheckID(name); err != nil {
		return "", "", err
	}
	path = b.path(name)
	if err := b.makeRoom(name, path, l); err != nil {
		return path, "", err
	}
	l.CreatedAt = b.now()
	return path, token, b.write(path, l.In(l.ConversationID, l.CreatedAt))
}

// Ask puts a loop for its conversation while nothing can happen to the one that
// runs there. If wants, which gets that loop or nil, returns true, l is put and the
// other one ends as replaced. It reports whether l was put: another copy of our
// hook may have been faster, or was killed here.
func (b *Box) Ask(ctx context.Context, l loop.State, wants func(running *loop.State) (bool, error)) (done bool, err error) {
	err = b.store.Ask(ctx, l.ConversationID, func(running *loop.State) (bool, error) {
		wanted, err := wants(running)
		if !wanted || err != nil {
			return false, err
		}
		_, _, err = b.Put(ctx, l, "")
		done = err == nil
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
		return true, err
	})
	return done, err
}

// makeRoom moves a file that is not a loop's out of the way, and an ended loop
// that a killed Change left. A request that the user sent again, in another
// turn, takes the place of the first: the loop belongs to the later turn.
func (b *Box) makeRoom(name, path string, l loop.State) error {
	there := b.item(name, path)
	suffix := ".ended"
	switch {
	case errors.Is(there.Err, fs.ErrNotExist):
		return nil
	case there.broken:
		suffix = ".corrupt"
	case there.Err != nil:
		return there.Err
	case l.AskedIn != "" && l.AskedIn != there.State.AskedIn && there.State.SameTask(l) && !there.State.Status.Ended():
		return nil
	case !there.State.Status.Ended():
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	_, err := ownfile.Aside(path, fmt.Sprintf("%s-%d", suffix, b.now().Unix()))
	return err
}

func (b *Box) write(path string, l loop.State) error {
	data, err := l.Encode()
	if err != nil {
		return err
	}
	return ownfile.Replace(path, b.places.Scratch(), data, false)
}

func (b *Box) freeStem() string {
	for ms := b.now().UnixMilli(); ; ms++ {
		stem := fmt.Sprintf("%d-%d", ms, os.Getpid())
		if _, err := os.Lstat(b.path(stem)); err != nil {
			return stem
		}
	}
}

// Has reports whether there is a pending file of this name.
func (b *Box) Has(name string) bool {
	_, err := os.Lstat(b.path(name))
	return err == nil
}

func (b *Box) path(name string) string {
	return filepath.Join(b.places.Pending(), name+".json")
}

func (b *Box) locked(ctx context.Context, do func() error) error {
	return b.whileHeld(ctx, lockName, do)
}

func (b *Box) whileHeld(ctx context.Context, name string, do func() error) error {
	if err := ownfile.Folder(b.places.Pending()); err != nil {
		return err
	}
	release, err := ownfile.Lock(ctx, filepath.Join(b.places.Pending(), name))
	if err != nil {
		return err
	}
	return errors.Join(do(), release())
}

const (
	lockName       = ".lock"
	changeLockName = ".change.lock"
)

func (b *Box) lockPath() string { return filepath.Join(b.places.Pending(), lockName) }

// List returns every pending file, the legacy one too, in the order of their
// names.
func (b *Box) List() (items []Item, err error) {
	names, err := b.Names()
	for _, name := range names {
		items = append(items, b.item(name, b.Path(name)))
	}
	return items, err
}

// Names returns the names of the pending files in order; the legacy one is the last.
func (b *Box) Names() (names []string, err error) {
	all, err := ownfile.Names(b.places.Pending())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	slices.Sort(all)
	for _, name := range all {
		if name, ok := strings.CutSuffix(name, ".json"); ok && !strings.HasPrefix(name, ".") {
			names = append(names, name)
		}
	}
	if _, err := os.Lstat(b.places.Legacy()); err == nil {
		names = append(names, legacyName)
	}
	return names, nil
}

// Path returns the path of a pending file.
func (b *Box) Path(name string) string {
	if name == legacyName {
		return b.places.Legacy()
	}
	return b.path(name)
}

// Item reads the pending file of a name. A folder that is not ours is not looked into.
func (b *Box) Item(name string) Item {
	if name != legacyName {
		if err := ownfile.CheckFolder(b.places.Pending()); err != nil {
			return Item{Name: name, Path: b.path(name), Err: err}
		}
	}
	return b.item(name, b.Path(name))
}

// legacyName is what the legacy file is called in lists. Like the stem of an
// unbound file it is no conversation's.
const legacyName = "0-0"

// item reads a pending file. One that another user put there is an error of
// that item alone.
func (b *Box) item(name, path string) Item {
	i := Item{Name: name, Path: path}
	data, info, err := ownfile.Read(path, 0)
	if info != nil {
		i.Age = b.now().Sub(info.ModTime())
	}
	if err != nil {
		i.Err = err
		return i
	}
	i.State, i.Err = loop.Parse(data)
	i.broken = i.Err != nil && !errors.Is(i.Err, loop.ErrNewer)
	owner := name
	if loop.IsForAnyChat(name) {
		owner = i.State.ConversationID
	}
	i.State = i.State.In(owner, info.ModTime())
	return i
}
