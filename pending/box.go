// Package pending keeps loops that were asked for and that no conversation has
// claimed yet: one file each, in the form of a state file, in a private folder.
//
// A file whose name is a conversation id belongs to that conversation. One
// named <unix-milliseconds>-<pid> is unbound: a tool-use hook binds it by its
// token, or the next conversation of its workspace that stops claims it. A
// claim is a rename, so it happens at most once and a kill leaves the loop
// either pending or claimed. Loops that run are in package state.
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
)

// Box is the folder of pending loops.
type Box struct {
	places platform.Places
	now    func() time.Time
}

// New returns the box in the given places.
func New(places platform.Places, now func() time.Time) *Box {
	return &Box{places, now}
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

// Unbound tells whether no conversation owns the item.
func (i Item) Unbound() bool { return i.State.ConversationID == "" && unboundStem(i.Name) }

// Stale tells whether an unbound item is too old to be claimed.
func (i Item) Stale() bool { return i.Age > staleAfter && unboundStem(i.Name) }

// young tells whether a file was just written. One from the future was not.
func (i Item) young(d time.Duration) bool { return i.Age.Abs() < d }

const (
	staleAfter   = 24 * time.Hour
	writingTime  = 2 * time.Second  // a file may be half-written for so long
	bindingGrace = 60 * time.Second // a file with a token waits so long for its binding
)

// Put writes a loop that was asked for: under its conversation's name, or
// unbound, with a token made from secret if there is one. An fs.ErrExist tells that the
// conversation has one already. It gives the file's path and its token.
func (b *Box) Put(ctx context.Context, l loop.State, secret string) (path, token string, err error) {
	release, err := b.lock(ctx)
	if err != nil {
		return "", "", err
	}
	path, token, err = b.put(l, secret)
	return path, token, errors.Join(err, release())
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
	if err := b.makeRoom(name, path); err != nil {
		return path, "", err
	}
	l.CreatedAt = b.now()
	return path, token, b.write(path, l)
}

// makeRoom moves out of the way what is no loop's file, and an ended loop that
// a killed Change has left.
func (b *Box) makeRoom(name, path string) error {
	there := b.item(name, path)
	suffix := ".ended"
	switch {
	case errors.Is(there.Err, fs.ErrNotExist):
		return nil
	case there.broken:
		suffix = ".corrupt"
	case there.Err != nil:
		return there.Err
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

func (b *Box) path(name string) string {
	return filepath.Join(b.places.Pending(), name+".json")
}

func (b *Box) lock(ctx context.Context) (func() error, error) { return b.lockFile(ctx, lockName) }

func (b *Box) lockFile(ctx context.Context, name string) (func() error, error) {
	if err := ownfile.Folder(b.places.Pending()); err != nil {
		return nil, err
	}
	return ownfile.Lock(ctx, filepath.Join(b.places.Pending(), name))
}

const lockName = ".lock"

func (b *Box) lockPath() string { return filepath.Join(b.places.Pending(), lockName) }

// List gives every pending file, the legacy one too, in the order of their
// names.
func (b *Box) List() ([]Item, error) {
	names, err := ownfile.Names(b.places.Pending())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var items []Item
	slices.Sort(names)
	for _, name := range names {
		name, ok := strings.CutSuffix(name, ".json")
		if ok && !strings.HasPrefix(name, ".") {
			items = append(items, b.item(name, b.path(name)))
		}
	}
	if _, err := os.Lstat(b.places.Legacy()); err == nil {
		items = append(items, b.item(legacyName, b.places.Legacy()))
	}
	return items, nil
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
	if !unboundStem(name) {
		i.State.ConversationID = name
	}
	return i
}

// Change rewrites a pending loop, or, where change makes it an ended one,
// takes it out and gives it to archive. It gives an fs.ErrNotExist where a
// conversation claimed the file in between.
func (b *Box) Change(ctx context.Context, i Item, change func(loop.State) loop.State, archive func(loop.State) error) error {
	release, err := b.lockFile(ctx, ".change.lock")
	if err != nil {
		return err
	}
	return errors.Join(b.change(ctx, i, change, archive), release())
}

// change marks an ended loop in its file before it is archived: killed in
// between, nobody claims it, and the next change goes on. The folder is not
// locked meanwhile, because archive may lock the loop, and whoever claims
// takes the two locks in the other order.
func (b *Box) change(ctx context.Context, i Item, change func(loop.State) loop.State, archive func(loop.State) error) error {
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
		return os.Remove(i.Path)
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

func (b *Box) locked(ctx context.Context, do func() error) error {
	release, err := b.lock(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(), release())
}

// unboundStem tells whether a file of this name waits for any conversation:
// <digits>-<digits>, with an N after the first ones where date knows no
// milliseconds (macOS).
func unboundStem(name string) bool {
	ms, pid, ok := strings.Cut(name, "-")
	return ok && digits(strings.TrimSuffix(ms, "N")) && digits(pid)
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
