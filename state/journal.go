package state

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// AddToJournal adds a line to the journal of a conversation's loop: one write, no
// lock, and the state is not touched.
func (s *Store) AddToJournal(id string, r loop.Record) error {
	line, err := r.Line()
	if err != nil {
		return err
	}
	size, err := ownfile.Append(s.places.Journal(id), line)
	if err == nil && size == int64(len(line)) {
		err = s.dropOrphan(id)
	}
	return err
}

// orphanWait is longer than anybody holds the lock of a loop.
const orphanWait = time.Second

// dropOrphan removes a journal that was just made for a loop which had ended
// meanwhile. That of a loop whose file was cleared away is still needed.
func (s *Store) dropOrphan(id string) error {
	if has, err := s.Has(id); has || err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), orphanWait)
	defer cancel()
	return s.locked(ctx, id, func() error {
		if has, _ := s.Has(id); has {
			return nil
		}
		if l, _, err := s.readRecord(id); err != nil || !l.Status.Ended() {
			return nil
		}
		return s.dropJournal(id)
	})
}

func (s *Store) dropJournal(id string) error {
	_, err := ownfile.Check(s.places.Journal(id))
	if err == nil {
		err = ownfile.Remove(s.places.Journal(id))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Turn returns what the journal holds for an event that is about to be applied. If
// nothing is added until then, Apply uses the same Turn.
func (s *Store) Turn(id string, l loop.State, e loop.Event) (loop.Turn, error) {
	_, err := s.withTurn(id, l, &e)
	return e.Turn, err
}

// journal returns what the journal of a conversation holds beyond a mark, and the
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

// withTurn puts what the journal holds into an event that needs it.
func (s *Store) withTurn(id string, l loop.State, e *loop.Event) (loop.State, error) {
	switch e.Kind {
	case loop.EventStop, loop.EventContinue, loop.EventFollowupLost, loop.EventFollowupProved, loop.EventStalled:
	default:
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
	e.Turn = s.fold(data, &l, e)
	return l, nil
}

// folded is a journal that was folded, and what else the result depends on.
type folded struct {
	journal                       []byte
	kind                          loop.EventKind
	generation, askedIn, passedIn string
	status                        loop.StopStatus
	tokens                        *loop.Tokens // of the event
	lastStop                      loop.StopMark
	tools                         []string
	turn                          loop.Turn
}

// fold folds the journal of a turn once, although Turn and Apply both need it.
func (s *Store) fold(journal []byte, l *loop.State, e *loop.Event) loop.Turn {
	last := s.lastFold.Load()
	if last != nil && last.kind == e.Kind && last.generation == e.Generation && last.askedIn == l.AskedIn && last.passedIn == l.PassedIn &&
		last.status == e.Status && last.tokens == e.Tokens && last.lastStop == l.LastStop && slices.Equal(last.tools, l.Journal.Tools) && bytes.Equal(last.journal, journal) {
		return last.turn
	}
	turn := l.Fold(journal, e)
	s.lastFold.Store(&folded{journal, e.Kind, e.Generation, l.AskedIn, l.PassedIn, e.Status, e.Tokens, l.LastStop, l.Journal.Tools, turn})
	return turn
}
