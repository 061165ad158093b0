package state

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func (s *Store) ended(l loop.State) {
	if s.Ended != nil && l.OnEnd != "" && !l.StartedAt.IsZero() {
		s.Ended(l)
	}
}

// OnEndDue returns the loops that have ended since a moment and whose command of --on-end has not started: it is about to,
// or a kill prevented it. They have no histories.
func (s *Store) OnEndDue(since time.Time) (list []loop.State) {
	ended := s.EndedSince(since)
	live, _ := s.IDs() // without them those of the archive are left
	for _, id := range live {
		if l, err := s.Live(id, false); err == nil && l.Status.Ended() && !l.EndedAt.Before(since) {
			ended = append(ended, l)
		}
	}
	for _, l := range ended {
		if l.OnEnd != "" && !l.EndTold && !l.StartedAt.IsZero() {
			list = append(list, l)
		}
	}
	return list
}

// AtEnd returns the record of a loop that has ended in a conversation, by the loop's own
// id. The error is fs.ErrNotExist if the loop goes on, or is not there.
func (s *Store) AtEnd(conversation, id string) (loop.State, error) {
	l, _, err := s.atEnd(conversation, id)
	return l, err
}

func (s *Store) atEnd(conversation, id string) (found loop.State, name string, err error) {
	names, err := s.recordNames(nil)
	if err != nil {
		return found, "", err
	}
	for _, name := range names {
		if name != conversation && !strings.HasPrefix(name, conversation+older) {
			continue
		}
		l, err := s.Record(name, true)
		if err == nil && l.ShortID() == id && l.Status.Ended() && l.MovedTo == "" {
			return l, name, nil
		}
	}
	return found, "", fs.ErrNotExist
}

// TakeEnd reports whether the caller is the first to act on a loop's end, and notes that
// it does. Once noted, no other caller acts on it until the loop has been continued and
// ends again.
func (s *Store) TakeEnd(ctx context.Context, conversation, id string) (l loop.State, first bool, err error) {
	err = s.locked(ctx, conversation, func() error {
		if err := s.finish(conversation, id); err != nil {
			return err
		}
		var name string
		l, name, err = s.atEnd(conversation, id)
		if err != nil || l.EndTold || l.OnEnd == "" || l.StartedAt.IsZero() {
			return err
		}
		l.EndTold, first = true, true
		return s.saveRecord(name, l)
	})
	return l, first && err == nil, err
}

// finish moves a loop to the archive that a kill has left among the live ones at its
// end: to be done later, it would overwrite the record.
func (s *Store) finish(conversation, id string) error {
	data, _, err := ownfile.Read(s.places.Live(conversation), 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	l, err := loop.Parse(data)
	if err != nil || !l.Status.Ended() || l.ShortID() != id {
		return nil
	}
	_, err = s.retire(conversation, s.asRequested(conversation, l))
	return err
}

// asRequested puts back the command of a loop that its file calls ended, as withOnEnd
// does for one that goes on.
func (s *Store) asRequested(id string, l loop.State) loop.State {
	was, _, err := s.readRecord(id)
	if err != nil || !was.StartedAt.Equal(l.StartedAt) {
		was = loop.State{}
	}
	l.OnEnd, l.EndTold = was.OnEnd, was.EndTold && was.Status.Ended()
	return l
}
