// Package state keeps the loops that run and the records of those that ended.
//
// A loop changes in one way only: Apply locks it, reads it, folds in what the
// other hooks left in its journal, lets package loop decide, and writes it
// with an atomic replace. What happens next is not decided here, and loops
// that were only asked for are in package pending.
package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Store is where loops are kept.
type Store struct {
	places platform.Places
	now    func() time.Time
}

// New returns the store in the given places.
func New(places platform.Places, now func() time.Time) *Store {
	return &Store{places, now}
}

// CorruptError tells that a file was not a loop's, and where it is now.
type CorruptError struct {
	Path, Aside string
	Err         error
}

// Error tells what was wrong and where the file was moved.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s is not a loop's state (%v); moved to %s", e.Path, e.Err, e.Aside)
}

// Unwrap gives what was wrong with the file.
func (e *CorruptError) Unwrap() error { return e.Err }

// ArchiveError tells that an event happened and is saved, but not in the
// archive, which is tried again at the next one.
type ArchiveError struct{ Err error }

// Error tells what went wrong.
func (e *ArchiveError) Error() string { return "archive: " + e.Err.Error() }

// Unwrap gives what went wrong.
func (e *ArchiveError) Unwrap() error { return e.Err }

// Has tells whether a conversation has a live loop, by one system call. The
// error refuses a file that is not ours.
func (s *Store) Has(id string) (bool, error) {
	_, err := ownfile.Check(s.places.Live(id))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Read gives the live loop of a conversation, or an fs.ErrNotExist.
func (s *Store) Read(id string) (loop.State, error) {
	if err := loop.CheckID(id); err != nil {
		return loop.State{}, err
	}
	data, _, err := ownfile.Read(s.places.Live(id), 0)
	if err != nil {
		return loop.State{}, err
	}
	l, err := loop.Parse(data)
	if err == nil && l.Status.Ended() {
		return l, fs.ErrNotExist // killed before it was archived: the next Apply does it
	}
	l.ConversationID = id
	return s.heard(id, l), err
}

// heard takes what lies in the journal for an event of the loop: a long turn has
// no other.
func (s *Store) heard(id string, l loop.State) loop.State {
	info, err := ownfile.Check(s.places.Journal(id))
	if err == nil && !l.EventAt.IsZero() && info.ModTime().After(l.EventAt) {
		l.EventAt = info.ModTime()
	}
	return l
}

// Record adds a line to the journal of a conversation's loop: one write, no
// lock, and the state is not touched.
func (s *Store) Record(id string, r loop.Record) error {
	line, err := r.Line()
	if err != nil {
		return err
	}
	_, err = ownfile.Append(s.places.Journal(id), line)
	return err
}

// Unfolded gives what the journal of a loop holds since its last stop, and folds
// nothing in.
func (s *Store) Unfolded(id string, l loop.State) (loop.Turn, error) {
	data, _, err := s.journal(id, l.Journal)
	return loop.Fold(data, l.Journal.Tools), err
}

// journal gives what the journal of a conversation holds beyond a mark, and the
// mark: one at its beginning, if it is another journal than the marked one
// because /tmp was cleaned.
func (s *Store) journal(id string, m loop.Mark) ([]byte, loop.Mark, error) {
	data, info, err := ownfile.Read(s.places.Journal(id), m.Start())
	if err == nil && info.Size() >= m.Offset {
		if rest, known := m.Rest(data); known {
			return rest, m, nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, m, err
	}
	m.Offset, m.TailBytes, m.TailSum = 0, 0, ""
	data, _, err = ownfile.Read(s.places.Journal(id), 0)
	return data, m, err
}

// Apply lets an event happen to the loop of a conversation. For a conversation
// without a live loop it gives an fs.ErrNotExist; but an event that may concern
// an ended loop, such as EventContinue, finds it in the archive.
func (s *Store) Apply(ctx context.Context, id string, e loop.Event) (loop.State, loop.Action, error) {
	release, err := s.lock(ctx, id)
	if err != nil {
		return loop.State{}, loop.Action{}, err
	}
	l, action, err := s.apply(id, e)
	return l, action, errors.Join(err, release())
}

// Claim gives a conversation without a loop the one that take puts at the path
// it is told. Where the conversation has a loop already, take is not called.
func (s *Store) Claim(ctx context.Context, id string, take func(live string) error) error {
	release, err := s.lock(ctx, id)
	if err != nil {
		return err
	}
	return errors.Join(s.claim(id, take), release())
}

func (s *Store) claim(id string, take func(live string) error) error {
	if _, _, err := s.load(id); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := s.dropJournal(id); err != nil {
		return err
	}
	if err := take(s.places.Live(id)); err != nil {
		return err
	}
	_, _, err := s.apply(id, loop.Event{})
	s.sweep()
	return err
}

// sweep is done where a loop begins, which is rare. What cannot be removed is no
// harm: it is tried again with the next loop.
func (s *Store) sweep() {
	for _, scratch := range []string{s.places.Scratch(), s.scratch()} {
		_ = ownfile.Sweep(scratch, s.now())
	}
}

// Begin makes a loop live in a conversation that has none, and keeps a record of
// it from the start. The error is fs.ErrExist where the conversation has one.
func (s *Store) Begin(ctx context.Context, id string, l loop.State) error {
	if l.StartedAt.IsZero() {
		l.StartedAt = s.now()
	}
	there := fmt.Errorf("%s has a loop already: %w", id, fs.ErrExist)
	err := s.Claim(ctx, id, func(live string) error {
		there = nil
		data, err := l.Encode()
		if err != nil {
			return err
		}
		if err := ownfile.Replace(live, s.places.Scratch(), data, false); err != nil {
			return err
		}
		return s.writeRecord(id, data)
	})
	return cmp.Or(err, there)
}

// Ask lets another loop be asked for in a conversation: ask is told the loop
// that runs there, nil for none, while nothing can happen to it. Where ask says
// so, and only after it has asked, that loop ends as replaced.
func (s *Store) Ask(ctx context.Context, id string, ask func(running *loop.State) (replace bool, err error)) error {
	release, err := s.lock(ctx, id)
	if err != nil {
		return err
	}
	return errors.Join(s.ask(id, ask), release())
}

func (s *Store) ask(id string, ask func(running *loop.State) (replace bool, err error)) error {
	l, _, err := s.load(id)
	running := &l
	if errors.Is(err, fs.ErrNotExist) {
		running, err = nil, nil
	}
	if err != nil {
		return err
	}
	replace, err := ask(running)
	if err == nil && replace && running != nil {
		_, _, err = s.apply(id, loop.Event{Kind: loop.EventReplace})
	}
	return err
}

// lock makes the private folder and takes one of 64 locks in it.
func (s *Store) lock(ctx context.Context, id string) (func() error, error) {
	if err := loop.CheckID(id); err != nil {
		return nil, err
	}
	if err := ownfile.Folder(s.places.Pending()); err != nil {
		return nil, err
	}
	return ownfile.Lock(ctx, s.lockPath(slot(id)))
}

const lockSlots = 64

func slot(id string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum32() % lockSlots
}

func (s *Store) lockPath(slot uint32) string {
	return filepath.Join(s.places.Pending(), fmt.Sprintf(".loop-%02d.lock", slot))
}

func (s *Store) apply(id string, e loop.Event) (loop.State, loop.Action, error) {
	old, was, err := s.load(id)
	live := err == nil
	if errors.Is(err, fs.ErrNotExist) && concernsEnded(e.Kind) {
		old, was, err = s.archived(id)
	}
	if err != nil {
		return loop.State{}, loop.Action{}, err
	}
	if old, err = s.prepare(id, old, live, &e); err != nil {
		return old, loop.Action{}, err
	}
	next, action := loop.Decide(old, e, s.now())
	if action.Kind == loop.AwaitText || action.Kind == loop.AskTyping || action.Kind == loop.Refuse && !live {
		return old, action, nil
	}
	next, err = s.save(id, next, was, live, e.Kind)
	return next, action, err
}

func concernsEnded(k loop.EventKind) bool {
	switch k {
	case loop.EventContinue, loop.EventLateText, loop.EventVerified, loop.EventTyped, loop.EventNameTokens, loop.EventInjected, loop.EventSpoken:
		return true
	}
	return false
}

// prepare begins a loop that is new here and gives the event what the journal
// holds.
func (s *Store) prepare(id string, l loop.State, live bool, e *loop.Event) (loop.State, error) {
	l.ConversationID = id
	if live && l.StartedAt.IsZero() {
		if err := s.rotate(id); err != nil {
			return l, err
		}
	}
	if !live && (e.Kind == loop.EventContinue || e.Kind == loop.EventLateText) {
		if err := s.dropJournal(id); err != nil { // left by a hook that found the loop live
			return l, err
		}
	}
	return s.foldJournal(id, l, e)
}

func (s *Store) foldJournal(id string, l loop.State, e *loop.Event) (loop.State, error) {
	if e.Kind != loop.EventStop && e.Kind != loop.EventContinue {
		return l, nil
	}
	if l.Journal.Of != id {
		l.Journal = loop.Mark{Of: id}
	}
	data, mark, err := s.journal(id, l.Journal)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	l.Journal = mark
	if e.Kind == loop.EventContinue {
		e.Turn = loop.FoldBefore(data, l.Journal.Tools)
	} else {
		e.Turn = loop.Fold(data, l.Journal.Tools)
	}
	return l, nil
}

// load reads a live loop and what its file holds. One that has ended already
// is brought to the archive first, one that does not parse is moved aside.
func (s *Store) load(id string) (loop.State, []byte, error) {
	path := s.places.Live(id)
	data, _, err := ownfile.Read(path, 0)
	if err != nil {
		return loop.State{}, nil, err
	}
	l, err := loop.Parse(data)
	switch {
	case errors.Is(err, loop.ErrNewer):
		return l, nil, fmt.Errorf("%s: %w", path, err)
	case err != nil:
		return l, nil, s.quarantine(path, err)
	case l.Status.Ended():
		if l, err = s.retire(id, l); err == nil {
			err = fs.ErrNotExist
		}
		return l, nil, err
	}
	return s.heard(id, l), data, nil
}

func (s *Store) quarantine(path string, cause error) error {
	aside, err := ownfile.Aside(path, fmt.Sprintf(".corrupt-%d", s.now().Unix()))
	if err != nil {
		return errors.Join(cause, err)
	}
	return &CorruptError{path, aside, cause}
}

// save writes a loop where it now belongs: among the live ones, with a copy in
// the archive at every stop, or in the archive alone. What has not changed is
// not written.
func (s *Store) save(id string, l loop.State, was []byte, live bool, kind loop.EventKind) (loop.State, error) {
	var owed error
	if kind == loop.EventStop || kind == loop.EventContinue {
		l, owed = s.putOlderBeside(l)
	}
	data, err := l.Encode()
	if err != nil {
		return l, err
	}
	changed := string(data) != string(was)
	if !live && (l.Status.Ended() || kind != loop.EventContinue) {
		if !changed {
			return l, nil
		}
		return l, s.writeRecord(id, data)
	}
	if changed || !live {
		if err := ownfile.Replace(s.places.Live(id), s.places.Scratch(), data, false); err != nil {
			return l, err
		}
	}
	switch {
	case l.Status.Ended():
		l, err = s.retire(id, l)
	case kind == loop.EventStop || kind == loop.EventContinue:
		err = s.writeRecord(id, data)
	}
	if err = errors.Join(owed, err); err != nil {
		err = &ArchiveError{err}
	}
	return l, err
}

// retire moves an ended loop from the live ones to the archive. Killed in
// between, the live file says that it has ended, and retire is done again.
func (s *Store) retire(id string, l loop.State) (loop.State, error) {
	l.ConversationID = id
	if l.StartedAt.IsZero() { // it never ran here, and must not hide one that did
		if err := s.rotate(id); err != nil {
			return l, err
		}
	}
	if err := s.saveRecord(id, l); err != nil {
		return l, err
	}
	if err := os.Remove(s.places.Live(id)); err != nil {
		return l, err
	}
	l, err := s.lastWords(id, l)
	return l, errors.Join(err, s.dropJournal(id))
}

// lastWords applies a text that another hook recorded while this one ended the
// loop. Once the live file is gone nobody records any more.
func (s *Store) lastWords(id string, l loop.State) (loop.State, error) {
	e := loop.Event{Kind: loop.EventStop}
	l, err := s.foldJournal(id, l, &e)
	if err != nil || len(e.Turn.Texts) == 0 {
		return l, err
	}
	e.Kind, e.Generation = loop.EventLateText, l.LastStop.Generation
	next, _ := loop.Decide(l, e, s.now())
	if next.Status == l.Status && !next.Verifying.Late {
		return l, nil
	}
	return next, s.saveRecord(id, next)
}

func (s *Store) dropJournal(id string) error {
	_, err := ownfile.Check(s.places.Journal(id))
	if err == nil {
		err = os.Remove(s.places.Journal(id))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
