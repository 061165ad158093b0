// Package pending keeps loops that were asked for and that no conversation has
// claimed yet: one file each, in the form of a state file, in a private folder.
//
// A file whose name is a conversation id belongs to that conversation. One
// named <unix-milliseconds>-<pid> is unbound: the next conversation of its
// workspace that stops claims it. A claim is a rename, so it happens at most once and a kill leaves the loop
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

// Item is a pending file.
type Item struct {
	Name  string // without folder and .json
	Path  string
	Age   time.Duration // since the file was last written
	State loop.State
	Err   error // what is wrong with the file

	broken bool        // it could be read and is not a loop's file, or not yet
	record *loop.State // of the loop, without history; nil for none
	void   bool        // the loop was cancelled: a kill left the file
	gated  bool        // the file names gates, which no record has
}

// Stale reports whether an unbound item is too old to be claimed.
func (i Item) Stale() bool { return i.Age > staleAfter && loop.IsForAnyChat(i.Name) }

// young reports whether a file was just written. One from the future was not.
func (i Item) young(d time.Duration) bool { return i.Age.Abs() < d }

const (
	staleAfter  = 24 * time.Hour
	writingTime = 2 * time.Second // a file may be half-written for so long
)

// Put writes a loop that was asked for, under its conversation's name or unbound, and
// returns the file's path. The error is fs.ErrExist if the conversation has one already.
func (b *Box) Put(ctx context.Context, l loop.State) (path string, err error) {
	err = b.locked(ctx, func() error {
		path, err = b.put(l)
		return err
	})
	return path, err
}

func (b *Box) put(l loop.State) (path string, err error) {
	if err := checkSize(l); err != nil {
		return "", err
	}
	name := l.ConversationID
	if name == "" {
		name = b.freeStem()
	} else if err := loop.CheckID(name); err != nil {
		return "", err
	}
	path = b.path(name)
	if err := b.makeRoom(name, path, l); err != nil {
		return path, err
	}
	l = b.born(l)
	if err := b.store.Keep(l); err != nil {
		return path, err
	}
	return path, b.write(path, l)
}

// Ask puts a loop for its conversation while nothing can happen to the one that
// runs there. If wants, which gets that loop or nil, returns true, l is put and the
// other one ends as replaced. It reports whether l was put: the hook of another
// event may have been faster, or was killed here.
func (b *Box) Ask(ctx context.Context, l loop.State, wants func(running *loop.State) (bool, error)) (done bool, err error) {
	err = b.store.Ask(ctx, l.ConversationID, func(running *loop.State) (bool, error) {
		wanted, err := wants(running)
		if !wanted || err != nil {
			return false, err
		}
		_, err = b.Put(ctx, l)
		done = err == nil
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
		return true, err
	})
	return done, err
}

// makeRoom moves a file that is not a loop's out of the way, and removes that of a loop
// that was cancelled. A request that the user sent again, in another turn, takes the place
// of the first: the loop belongs to the later turn.
func (b *Box) makeRoom(name, path string, l loop.State) error {
	there := b.item(name, path)
	switch {
	case errors.Is(there.Err, fs.ErrNotExist):
		return nil
	case there.broken:
		_, err := ownfile.Aside(path, fmt.Sprintf(".corrupt-%d", b.now().Unix()))
		return err
	case there.Err != nil:
		return there.Err
	case there.State.Status.Ended():
		return b.archive(there, there.State)
	case l.Due.In != "" && l.Due.In != there.State.Due.In && there.State.SameTask(l):
		return b.store.Withdraw(there.State)
	}
	return fmt.Errorf("%s: %w", path, fs.ErrExist)
}

// born assigns a loop its own id, unless it has one, which no other loop has.
func (b *Box) born(l loop.State) loop.State {
	for at := b.now(); ; at = at.Add(1) {
		as := l
		as.CreatedAt = at
		as = as.In(l.ConversationID, at)
		if _, err := b.store.Record(as.ID, false); err != nil || as.ID == l.ID {
			return as
		}
	}
}

func (b *Box) write(path string, l loop.State) error {
	data, err := l.InTmp().Encode()
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
	if err := ownfile.Folder(b.places.Pending()); err != nil {
		return err
	}
	release, err := ownfile.Lock(ctx, b.lockPath())
	if err != nil {
		return err
	}
	return errors.Join(do(), release())
}

func (b *Box) lockPath() string { return filepath.Join(b.places.Pending(), ".lock") }

// mostRead is how many pending files are read: more than anybody asks for.
const mostRead = 200

// maxFile is how much of one is read, in bytes, and of all together at a stop.
const maxFile = 1 << 20

// errLongTask is of a loop whose file nobody would read.
var errLongTask = errors.New("the task is too long for a pending loop, which has 1 MiB at most: put it into a file that the agent reads")

// checkSize refuses a loop that does not fit into its file, with what else that file may get.
func checkSize(l loop.State) error {
	const more = 16 << 10
	data, err := l.InTmp().Encode()
	if err == nil && len(data) > maxFile-more {
		err = errLongTask
	}
	return err
}

// ErrTooMany is wrapped by the error of an item that stands for the files that were
// not read.
var ErrTooMany = errors.New("more than 200 pending files")

// List returns the pending files in the order of their names. Of too many it returns the first, and an item with ErrTooMany.
func (b *Box) List() (items []Item, err error) {
	names, left, err := b.names()
	for _, name := range names {
		if i := b.item(name, b.path(name)); !i.void {
			items = append(items, i)
		}
	}
	if left > 0 {
		items = append(items, Item{Path: b.places.Pending(), Err: fmt.Errorf("%w: %d are not read", ErrTooMany, left)})
	}
	return items, err
}

// Names returns the names of the pending files that List reads, in order.
func (b *Box) Names() (names []string, err error) {
	names, _, err = b.names()
	return names, err
}

// names returns those of files for a certain chat first, and the newest of the others.
func (b *Box) names() (names []string, left int, err error) {
	all, err := ownfile.Names(b.places.Pending())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, err
	}
	var unbound []string
	for _, name := range all {
		name, ok := strings.CutSuffix(name, ".json")
		switch {
		case !ok || strings.HasPrefix(name, "."):
		case loop.IsForAnyChat(name):
			unbound = append(unbound, name)
		default:
			names = append(names, name)
		}
	}
	left = max(0, len(names)+len(unbound)-mostRead)
	slices.Sort(names)
	names = names[:min(len(names), mostRead)]
	names = append(names, newest(unbound, mostRead-len(names))...)
	slices.Sort(names)
	return names, left, nil
}

// newest returns the stems that begin with the latest times.
func newest(stems []string, most int) []string {
	if len(stems) <= most {
		return stems
	}
	slices.Sort(stems)
	return stems[len(stems)-most:]
}

// Path returns the path of a pending file.
func (b *Box) Path(name string) string {
	return b.path(name)
}

// Item reads the pending file of a name. A folder that is not ours is not looked into.
func (b *Box) Item(name string) Item {
	if err := ownfile.CheckFolder(b.places.Pending()); err != nil {
		return Item{Name: name, Path: b.path(name), Err: err}
	}
	i := b.item(name, b.path(name))
	if i.void {
		i.Err = fs.ErrNotExist
	}
	return i
}

// item reads a pending file. One that another user put there is an error of
// that item alone.
func (b *Box) item(name, path string) Item {
	i := Item{Name: name, Path: path}
	data, info, err := ownfile.ReadWithin(path, 0, maxFile)
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
	if i.Err == nil {
		i = b.withRecord(i, owner)
	}
	return i
}

// errOthers is of a file that names another conversation's loop.
var errOthers = errors.New("it names a loop that was asked for in another chat")

// withRecord returns an item with what its loop's record alone says, if that is a loop of
// the file's conversation. A file with the id of a loop that ran and is over is a copy.
func (b *Box) withRecord(i Item, owner string) Item {
	r, err := b.store.Record(i.State.ID, false)
	isCopy := err == nil && r.Status.Ended() && !r.StartedAt.IsZero()
	if errors.Is(err, fs.ErrNotExist) || isCopy {
		i.gated = i.State.HasGate()
		i.State = i.State.WithCommands(loop.Commands{})
		return i
	}
	if i.Err = err; err != nil {
		return i
	}
	i.record = &r
	switch isOthers := r.ConversationID != "" && r.ConversationID != owner; {
	case r.Status.Ended():
		i.void, i.State.Status = true, r.Status
	case isOthers && !loop.IsForAnyChat(i.Name):
		i.Err = errOthers
		fallthrough
	case isOthers:
		i.State = i.State.WithCommands(loop.Commands{})
	default:
		i.State = i.State.WithCommands(r.Commands)
		i.State.Workspace = r.Workspace
	}
	return i
}
