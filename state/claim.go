package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Claim makes the file that take puts at the path live the loop of a conversation.
// If the conversation has a loop, take is not called.
func (s *Store) Claim(ctx context.Context, id string, take func(live string) error) error {
	return s.locked(ctx, id, func() error { return s.claim(id, take) })
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

// sweep runs when a loop begins, which is rare. What cannot be removed is no
// harm: the next loop tries again.
func (s *Store) sweep() {
	for _, scratch := range []string{s.places.Scratch(), s.scratch()} {
		_ = ownfile.Sweep(scratch, s.now())
	}
}

// Begin makes a loop live in a conversation that has none, and keeps a record of
// it from the start. The error is fs.ErrExist if the conversation has one.
func (s *Store) Begin(ctx context.Context, id string, l loop.State) error {
	if l.StartedAt.IsZero() {
		l.StartedAt = s.now()
	}
	l = l.In(id, time.Time{})
	there := fmt.Errorf("%s has a loop already: %w", id, fs.ErrExist)
	err := s.Claim(ctx, id, func(string) error {
		there = nil
		if err := errors.Join(s.Keep(l), s.Enter(id, l)); err != nil {
			return err
		}
		return s.writeLive(id, l, nil)
	})
	return cmp.Or(err, there)
}

// Drop removes a loop in which nothing has happened, and its record.
func (s *Store) Drop(ctx context.Context, id string) error {
	return s.locked(ctx, id, func() error {
		paths := []string{s.places.Chat(id), s.places.Live(id)}
		if own, err := s.inChat(id); err == nil {
			paths = append(paths, s.places.Record(own))
		}
		err := s.dropJournal(id)
		for _, path := range paths {
			err = errors.Join(err, ignoreMissing(ownfile.Remove(path)))
		}
		return err
	})
}

// Ask lets another loop be asked for in a conversation. ask gets the loop that
// runs there, nil for none, while nothing can happen to it. If ask returns true,
// that loop ends as replaced, after it.
func (s *Store) Ask(ctx context.Context, id string, ask func(running *loop.State) (replace bool, err error)) error {
	return s.locked(ctx, id, func() error {
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
	})
}

// Move brings a live loop to another conversation. The error is fs.ErrExist if
// that has one.
func (s *Store) Move(ctx context.Context, from, to string) error {
	if from == to {
		return loop.CheckID(from)
	}
	return s.lockedBoth(ctx, from, to, func() error {
		_, err := s.move(from, to)
		return err
	})
}

// lockedBoth does something under the locks of two conversations.
func (s *Store) lockedBoth(ctx context.Context, one, other string, f func() error) error {
	if err := errors.Join(loop.CheckID(one), loop.CheckID(other)); err != nil {
		return err
	}
	first, second := one, other // in the order of their locks, so that two cannot wait for each other
	if slot(second) < slot(first) {
		first, second = second, first
	}
	return s.locked(ctx, first, func() error {
		if slot(first) == slot(second) {
			return f()
		}
		return s.locked(ctx, second, f)
	})
}

// move renames the live file, which is the one step that counts; killed before
// it the loop is still where it was, killed after it it is at its new place.
func (s *Store) move(from, to string) (loop.State, error) {
	l, _, err := s.load(from)
	if err != nil {
		return l, err
	}
	if _, _, err := s.load(to); !errors.Is(err, fs.ErrNotExist) {
		return l, errors.Join(fmt.Errorf("conversation %s has a loop already: %w", to, fs.ErrExist), err)
	}
	if !l.Kept { // its record would stay behind if it is there, and cannot be read
		if _, _, err := s.entered(from, loop.ParseHead); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return l, &RecordError{err}
		}
	}
	if err := s.remove(to); err != nil { // of a loop that has just ended: it would count as this one, once this is entered
		return l, err
	}
	was := l
	l.EnterChat(to)
	l.Journal, l.CameFrom = loop.Mark{Of: to, Events: l.Journal.Events}, from
	if l.Kept {
		err := s.enter(to, l.ID)
		if err == nil {
			err = s.saveRecord(l)
		}
		if err != nil {
			return was, &RecordError{err}
		}
	}
	if err := ownfile.Rename(s.places.Live(from), s.places.Live(to)); err != nil {
		return was, err
	}
	l, err = s.save(to, was, l, nil, true, "")
	return l, errors.Join(err, s.leave(from, l.ID), s.dropJournal(from))
}
