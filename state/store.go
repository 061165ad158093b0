// Package state keeps the loops that run and the records of those that ended.
//
// A loop changes in one way only: Apply locks it, reads it, takes in what the
// other hooks left in its journal, lets package loop decide, and writes it
// with an atomic replace. What happens next is not decided here, and loops
// that nobody has claimed are in package pending.
//
// Methods release their locks before they return, and the system releases them
// if the process is killed. ctx limits the wait for
// a lock: what has begun is completed. Errors wrap fs.ErrNotExist if there is no
// such loop, and fs.ErrExist if there is one already. A Store may be used by
// several goroutines and processes.
package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Store is where loops are kept.
type Store struct {
	// Ended gets each loop with an OnEnd that has ended, while its lock is held; nil for
	// nobody. After a kill it may get one twice, see TakeEnd, or not at all.
	Ended func(loop.State)
	// Announce gets each loop that an agent's call has ended, once; nil leaves it to another process.
	Announce func(loop.State)
	// Ignored gets a live loop whose file has commands that its record does not have; nil
	// for nobody.
	Ignored func(loop.State)

	places platform.Places
	now    func() time.Time

	lastParse atomic.Pointer[parsed]
	lastRead  atomic.Pointer[lastRead]
}

// New returns the store in the given places.
func New(places platform.Places, now func() time.Time) *Store {
	return &Store{places: places, now: now}
}

// CorruptError says that a file was not a loop's, and where it is now.
type CorruptError struct {
	Path, Aside string
	Err         error
}

// Error returns what was wrong and where the file was moved.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s is not a loop's state (%v); moved to %s", e.Path, e.Err, e.Aside)
}

// Unwrap returns what was wrong with the file.
func (e *CorruptError) Unwrap() error { return e.Err }

// Has reports whether a conversation has a live loop, by two system calls, for none by
// one. The error refuses a file that is not ours. The file of a loop that ended longer than
// AfterEnd ago is removed, and what is to be announced is.
func (s *Store) Has(id string) (bool, error) {
	if _, err := ownfile.Check(s.places.Live(id)); err != nil {
		return false, ignoreMissing(err)
	}
	if s.HasEntered(id) {
		return true, nil
	}
	l, err := s.Live(id, false)
	if err != nil || !l.Status.Ended() {
		return !errors.Is(err, fs.ErrNotExist), nil
	}
	if s.isOver(l) || l.Unannounced && s.Announce != nil {
		ctx, cancel := context.WithTimeout(context.Background(), removeWait)
		defer cancel()
		_, _, err = s.Apply(ctx, id, loop.Event{LoopID: l.ID})
	}
	return false, ignoreMissing(err)
}

// removeWait is longer than anybody holds the lock of a loop.
const removeWait = time.Second

// HasFile reports whether there is the live file of a conversation's loop, or of one that
// has just ended there, by one system call.
func (s *Store) HasFile(id string) bool {
	_, err := ownfile.Check(s.places.Live(id))
	return err == nil
}

// Read returns the live loop of a conversation, or an fs.ErrNotExist.
func (s *Store) Read(id string) (loop.State, error) { return s.read(id, s.parse) }

// Live is Read for showing: without the history unless that is wanted, and with a
// loop that has just ended.
func (s *Store) Live(id string, history bool) (loop.State, error) {
	l, err := s.read(id, parserFor(history))
	if errors.Is(err, fs.ErrNotExist) && l.Status.Ended() {
		err = nil
	}
	return l, err
}

func (s *Store) read(id string, parse parser) (loop.State, error) {
	if err := loop.CheckID(id); err != nil {
		return loop.State{}, err
	}
	data, info, err := ownfile.Read(s.places.Live(id), 0)
	if err != nil {
		return loop.State{}, err
	}
	l, err := parse(data)
	l = l.In(id, info.ModTime())
	if err == nil {
		l, err = s.withRecord(id, l, parse)
	}
	if err == nil && l.Status.Ended() {
		return l, fs.ErrNotExist
	}
	return s.withJournalTime(id, l), err
}

// parsed is a file that was parsed.
type parsed struct {
	data []byte
	loop loop.State
}

// parse is loop.Parse, once for a file that is read again under the loop's lock.
func (s *Store) parse(data []byte) (loop.State, error) {
	if p := s.lastParse.Load(); p != nil && bytes.Equal(p.data, data) {
		return p.loop, nil
	}
	l, err := loop.Parse(data)
	if err == nil {
		s.lastParse.Store(&parsed{data, l})
	}
	return l, err
}

// withJournalTime counts a line in the journal as an event of the loop: a long
// turn has no other.
func (s *Store) withJournalTime(id string, l loop.State) loop.State {
	info, err := ownfile.Check(s.places.Journal(id))
	if err == nil && !l.EventAt.IsZero() && info.ModTime().After(l.EventAt) {
		l.EventAt = info.ModTime()
	}
	return l
}

// load reads a live loop and what its file holds. One that does not parse is moved aside.
// One that has ended is settled, and counts as not there.
func (s *Store) load(id string) (loop.State, []byte, error) {
	path := s.places.Live(id)
	data, info, err := ownfile.Read(path, 0)
	if errors.Is(err, ownfile.ErrNotOurs) && s.putBack(id) {
		data, info, err = ownfile.Read(path, 0)
	}
	if errors.Is(err, ownfile.ErrTooLarge) {
		return loop.State{}, nil, s.quarantine(id, err)
	}
	if err != nil {
		return loop.State{}, nil, err
	}
	l, err := s.parse(data)
	l = l.In(id, info.ModTime())
	switch {
	case errors.Is(err, loop.ErrNewer):
		return l, nil, fmt.Errorf("%s: %w", path, err)
	case err != nil:
		return l, nil, s.quarantine(id, err)
	}
	if l, err = s.withRecord(id, l, loop.Parse); err != nil {
		return l, nil, err
	}
	if s.Ignored != nil && l.Misplaced != "" {
		s.Ignored(l)
	}
	if l.Status.Ended() {
		if err = s.settle(id, l); err == nil {
			err = fs.ErrNotExist
		}
		return l, nil, err
	}
	if !l.Kept {
		l, _ = s.adopt(id, l) // where it cannot be written, the next event tries again
	}
	return s.withJournalTime(id, l), data, nil
}

// putBack moves what lies in the place of a live file and is not ours aside, writes the file anew from the record, and reports
// whether that was possible.
func (s *Store) putBack(id string) bool {
	if _, err := ownfile.Aside(s.places.Live(id), fmt.Sprintf(".corrupt-%d", s.now().Unix())); err != nil {
		return false
	}
	_, err := s.restore(id)
	return err == nil
}

// quarantine moves a file aside that cannot be read. The loop is paused in its record,
// from which a continue restores it.
func (s *Store) quarantine(id string, cause error) error {
	path := s.places.Live(id)
	aside, err := ownfile.Aside(path, fmt.Sprintf(".corrupt-%d", s.now().Unix()))
	if err != nil {
		return errors.Join(cause, err)
	}
	corrupt := &CorruptError{path, aside, cause}
	if l, _, err := s.entered(id, loop.Parse); err == nil && !l.Status.Ended() {
		if err := s.saveRecord(l.Unreadable(corrupt.Error())); err != nil {
			return errors.Join(corrupt, err)
		}
	}
	return corrupt
}

// locked calls do while it holds the loop's lock, one of 64 in the private folder.
func (s *Store) locked(ctx context.Context, id string, do func() error) error {
	release, err := s.lock(ctx, id)
	if err != nil {
		return err
	}
	return errors.Join(do(), release())
}

func (s *Store) lock(ctx context.Context, id string) (release func() error, err error) {
	if err := loop.CheckID(id); err != nil {
		return nil, err
	}
	if err := ownfile.Folder(s.places.Pending()); err != nil {
		return nil, err
	}
	return ownfile.Lock(ctx, filepath.Join(s.places.Pending(), fmt.Sprintf(".loop-%02d.lock", slot(id))))
}

const lockSlots = 64

func slot(id string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum32() % lockSlots
}
