package state

import (
	"context"
	"errors"
	"io/fs"
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

// Unfolded returns what the journal of a loop holds since its last stop, and folds
// nothing in.
func (s *Store) Unfolded(id string, l loop.State) (loop.Turn, error) {
	data, _, err := s.journal(id, l.Journal)
	return loop.Fold(data, l.Journal.Tools), err
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
	if e.Kind == loop.EventContinue {
		e.Turn = loop.FoldBefore(data, l.Journal.Tools)
	} else {
		e.Turn = l.FoldTurn(data, e.Generation)
	}
	return l, nil
}
