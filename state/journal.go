package state

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"

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
	if isNew := size == int64(len(line)); err == nil && isNew && !s.HasFile(id) && !s.HasEntered(id) {
		return s.dropJournal(id) // the loop has ended meanwhile
	}
	return err
}

func (s *Store) dropJournal(id string) error {
	_, err := ownfile.Check(s.places.Journal(id))
	if err == nil {
		err = ownfile.Remove(s.places.Journal(id))
	}
	return ignoreMissing(err)
}

// Turn returns what the journal holds for an event that is about to be applied. If
// nothing is added until then, Apply uses the same Turn.
func (s *Store) Turn(id string, l loop.State, e loop.Event) (loop.Turn, error) {
	_, err := s.withTurn(id, l, &e)
	return e.Turn, err
}

// JournalSize returns how many bytes the journal of a conversation has.
func (s *Store) JournalSize(id string) (int64, error) {
	info, err := ownfile.Check(s.places.Journal(id))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// journal returns what the journal of a conversation holds beyond a mark, and the
// mark: one at its beginning, if it is another journal than the marked one
// because /tmp was cleaned.
func (s *Store) journal(id string, m loop.Mark) ([]byte, loop.Mark, error) {
	data, info, err := ownfile.ReadWithin(s.places.Journal(id), m.Start(), maxTurn)
	if err == nil && info.Size() >= m.Offset {
		if rest, known := m.Rest(data); known {
			return rest, m, nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, m, err
	}
	m.Offset, m.TailBytes, m.TailSum = 0, 0, ""
	data, _, err = ownfile.ReadWithin(s.places.Journal(id), 0, maxTurn)
	return data, m, err
}

// withTurn puts what the journal holds into an event that needs it.
func (s *Store) withTurn(id string, l loop.State, e *loop.Event) (loop.State, error) {
	switch e.Kind {
	case loop.EventStop, loop.EventContinue, loop.EventFollowupLost, loop.EventStalled, loop.EventInject:
	default:
		return l, nil
	}
	if l.Journal.Of != id {
		l.Journal = loop.Mark{Of: id}
	}
	data, mark, err := s.journal(id, l.Journal)
	lines := bytes.Count(data, []byte("\n"))
	if errors.Is(err, ownfile.ErrTooLarge) || lines > maxLines {
		l.Journal = mark
		e.Turn, err = s.unread(id, mark, lines)
		return l, err
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	l.Journal = mark
	e.Turn = s.readTurn(data, &l, e)
	return l, nil
}

// maxTurn is how much of a journal is read at a stop, in bytes. Real turns leave some
// kilobytes; this much takes a hook a second.
const maxTurn = 48 << 20

// maxLines is how many of its lines are read: a turn of 50,000 tool calls and texts has them.
const maxLines = 100_000

// keptTail is what is read of a journal that is too large: enough to know it again.
const keptTail = 512

// unread returns the turn of a journal that is too large to be read.
func (s *Store) unread(id string, m loop.Mark, lines int) (loop.Turn, error) {
	info, err := ownfile.Check(s.places.Journal(id))
	if err != nil {
		return loop.Turn{}, err
	}
	tail, _, err := ownfile.ReadPart(s.places.Journal(id), max(m.Offset, info.Size()-keptTail), keptTail)
	return m.Unread(info.Size(), lines, tail), err
}

// lastRead is a journal that was read, and what else the result depends on.
type lastRead struct {
	journal    []byte
	kind       loop.EventKind
	generation string
	due        loop.Due
	status     loop.StopStatus
	tokens     *loop.Tokens // of the event
	lastStop   loop.StopMark
	events     []string
	pauses     loop.Pauses
	turn       loop.Turn
}

// readTurn reads the journal of a turn once, although Turn and Apply both need it.
func (s *Store) readTurn(journal []byte, l *loop.State, e *loop.Event) loop.Turn {
	last := s.lastRead.Load()
	if last != nil && last.kind == e.Kind && last.generation == e.Generation && last.due == l.Due &&
		last.status == e.Status && last.tokens == e.Tokens && last.lastStop == l.LastStop && last.pauses == l.Pauses && slices.Equal(last.events, l.Journal.Events) && bytes.Equal(last.journal, journal) {
		return last.turn
	}
	turn := l.TurnIn(journal, e)
	s.lastRead.Store(&lastRead{journal, e.Kind, e.Generation, l.Due, e.Status, e.Tokens, l.LastStop, l.Journal.Events, l.Pauses, turn})
	return turn
}
