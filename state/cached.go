package state

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Cached lists the loops of a store again and again, and reads only the files
// that changed since it last did. Of each loop it keeps what it is told to.
type Cached[T any] struct {
	store *Store
	keep  func(id string, l loop.State) T
	live  map[string]kept[T]
	ended map[string]kept[T]
}

// kept is what came of a file, and what the file was then.
type kept[T any] struct {
	loop    T
	err     error // of reading it; with ErrNotExist it is none of those that are listed
	file    fs.FileInfo
	heardAt time.Time // when the journal was written
	at      time.Time
}

// NewCached returns a list of a store's loops, of each of which it keeps what
// keep makes of it.
func NewCached[T any](s *Store, keep func(id string, l loop.State) T) *Cached[T] {
	return &Cached[T]{store: s, keep: keep, live: map[string]kept[T]{}, ended: map[string]kept[T]{}}
}

// unsure is how long after its last change a file is read again, however much it
// looks the same: two changes may fall into one tick of the file system's clock.
const unsure = 100 * time.Millisecond

// same tells whether a file need not be read again.
func (k kept[T]) same(file fs.FileInfo, heardAt time.Time) bool {
	return k.file != nil && os.SameFile(k.file, file) && k.file.Size() == file.Size() &&
		k.file.ModTime().Equal(file.ModTime()) && k.heardAt.Equal(heardAt) && k.at.Sub(file.ModTime()).Abs() > unsure
}

// Live gives every live loop, as List does.
func (c *Cached[T]) Live() (live []T, problems []error) {
	entries, err := os.ReadDir(c.store.places.Base)
	if err != nil {
		return nil, []error{err}
	}
	prefix, suffix := c.store.places.LivePattern()
	now := map[string]kept[T]{}
	for _, entry := range entries {
		id, isLoop := cutBoth(entry.Name(), prefix, suffix)
		if !isLoop || loop.CheckID(id) != nil {
			continue
		}
		k := c.lookAt(id)
		switch {
		case errors.Is(k.err, fs.ErrNotExist):
		case k.err != nil:
			problems = append(problems, errors.Join(errors.New(entry.Name()), k.err))
		default:
			live = append(live, k.loop)
		}
		now[id] = k
	}
	c.live = now
	return live, problems
}

func (c *Cached[T]) lookAt(id string) kept[T] {
	file, err := ownfile.Check(c.store.places.Live(id))
	if err != nil {
		return kept[T]{err: err}
	}
	var heardAt time.Time
	if journal, err := ownfile.Check(c.store.places.Journal(id)); err == nil {
		heardAt = journal.ModTime()
	}
	if k := c.live[id]; k.same(file, heardAt) {
		return k
	}
	l, err := c.store.Read(id)
	return kept[T]{c.keep(id, l), err, file, heardAt, c.store.now()}
}

// Ended gives the loops that ended last, the newest first, and at most so many:
// of each conversation that has no live loop the newest one. The archive may hold
// thousands, so the times of their files tell which are read.
func (c *Cached[T]) Ended(most int) (ended []T, problems []error) {
	files, err := c.records()
	if err != nil {
		return nil, []error{err}
	}
	now := map[string]kept[T]{}
	for _, r := range files[:min(len(files), 3*most)] {
		if len(ended) == most {
			break
		}
		k := c.record(r)
		switch {
		case errors.Is(k.err, fs.ErrNotExist):
		case k.err != nil:
			problems = append(problems, k.err)
		default:
			ended = append(ended, k.loop)
		}
		now[r.id] = k
	}
	c.ended = now
	return ended, problems
}

// recordFile is a record that is its conversation's newest.
type recordFile struct {
	id   string
	file fs.FileInfo
}

// records lists those of the conversations without a live loop, the newest
// first.
func (c *Cached[T]) records() (found []recordFile, err error) {
	if err := ownfile.CheckFolder(c.store.places.Archive); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(c.store.places.Archive)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		id, isRecord := strings.CutSuffix(entry.Name(), ".json")
		if !isRecord || loop.CheckID(id) != nil || c.isLive(id) {
			continue
		}
		if file, err := entry.Info(); err == nil {
			found = append(found, recordFile{id, file})
		}
	}
	slices.SortFunc(found, func(a, b recordFile) int { return b.file.ModTime().Compare(a.file.ModTime()) })
	return found, nil
}

func (c *Cached[T]) isLive(id string) bool {
	k, seen := c.live[id]
	return seen && !errors.Is(k.err, fs.ErrNotExist)
}

func (c *Cached[T]) record(r recordFile) kept[T] {
	if k := c.ended[r.id]; k.same(r.file, time.Time{}) {
		return k
	}
	l, err := c.store.Archived(r.id)
	if err == nil && !l.Status.Ended() {
		err = fs.ErrNotExist // the copy of a loop whose live file is lost
	}
	return kept[T]{c.keep(r.id, l), err, r.file, time.Time{}, c.store.now()}
}
