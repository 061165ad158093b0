package state

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// A loop that ends is marked ended in its live file, then its record is completed, then it
// leaves its conversation. The live file stays for loop.AfterEnd, so that what comes late
// finds the loop: what it says is no authority then.

// finish completes the record of a loop whose live file says that it has ended. After a
// kill in the middle the next look under the lock does it again.
func (s *Store) finish(id string, l loop.State) (loop.State, error) {
	if !l.Kept {
		var err error
		if l, err = s.adopt(id, l); err != nil {
			return l, err
		}
	}
	if was, err := s.Record(l.ID, true); err == nil && was.Status.Ended() && was.EndedAt.Equal(l.EndedAt) {
		l = was // a kill came after this
	} else if err := s.saveRecord(l); err != nil {
		return l, err
	}
	if err := s.leave(id, l.ID); err != nil {
		return l, err
	}
	l, err := s.withLastWords(id, l)
	if err == nil {
		err = s.clear(id, l)
	}
	return l, err
}

// settle finishes what a kill has interrupted, takes in what other hooks have recorded
// since, and removes the live file when its time is over.
func (s *Store) settle(id string, l loop.State) error {
	r, _, err := s.over(id, l)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && !l.Kept:
		if r, err = s.withLastWords(id, r); err == nil {
			err = s.announce(r)
		}
		if err == nil {
			err = s.clear(id, r)
		}
		return err
	}
	isKept := l.Kept
	if r, err = s.finish(id, l); err != nil {
		return err
	}
	s.ended(r)
	if err = s.announce(r); err != nil {
		return err
	}
	if !isKept { // its id may be another loop's: nothing late can find it
		return s.remove(id)
	}
	return nil
}

// clear removes the live file of an ended loop when nothing that comes now can concern it.
func (s *Store) clear(id string, l loop.State) error {
	if !s.isOver(l) {
		return nil
	}
	return s.remove(id)
}

func (s *Store) isOver(l loop.State) bool {
	return l.Outer() || s.now().Sub(l.EndedAt).Abs() > loop.AfterEnd
}

func (s *Store) remove(id string) error {
	return errors.Join(ignoreMissing(ownfile.Remove(s.places.Live(id))), s.dropJournal(id))
}

// over returns the record of the ended loop that a live file names.
func (s *Store) over(id string, l loop.State) (loop.State, []byte, error) {
	r, data, err := s.readRecord(l.ID, loop.Parse)
	if err == nil && (r.ConversationID != id || !r.Status.Ended()) {
		err = fs.ErrNotExist
	}
	return r, data, err
}

// JustEnded returns the record of the loop that has just ended in a conversation, as long
// as its live file is there.
func (s *Store) JustEnded(id string) (loop.State, error) {
	l, _, err := s.justEnded(id)
	return l, err
}

func (s *Store) justEnded(id string) (loop.State, []byte, error) {
	l, err := s.Live(id, false)
	switch {
	case err != nil:
		return l, nil, err
	case !l.Status.Ended():
		return l, nil, fs.ErrNotExist
	}
	return s.over(id, l)
}

// withLastWords applies a text that another hook recorded while this one ended the
// loop. Once it has left its conversation nobody records any more, unless its files cannot be
// read for a moment: words of another turn are not the loop's.
func (s *Store) withLastWords(id string, l loop.State) (loop.State, error) {
	e := loop.Event{Kind: loop.EventStop}
	l, err := s.withTurn(id, l, &e)
	ofAnother := func(g string) bool { return g != l.LastStop.Generation }
	if err != nil || len(e.Turn.Texts) == 0 || slices.ContainsFunc(e.Turn.Generations, ofAnother) {
		return l, err
	}
	e.Kind, e.Generation = loop.EventLateText, l.LastStop.Generation
	next, action := loop.Decide(l, e, s.now())
	if action.Reason == "" { // they promise nothing
		return l, nil
	}
	return next, s.saveRecord(next)
}

// RemoveEnded removes the live files of loops that have ended longer than loop.AfterEnd
// ago, and reports whether others are left.
func (s *Store) RemoveEnded() (left bool) {
	ids, _ := s.IDs()
	for _, id := range ids {
		if s.HasEntered(id) {
			continue
		}
		has, err := s.Has(id) // which removes it
		left = left || !has && err == nil && s.HasFile(id)
	}
	return left
}

func (s *Store) ended(l loop.State) {
	if s.Ended != nil && l.OnEnd != "" && !l.StartedAt.IsZero() {
		s.Ended(l)
	}
}

// announce announces once what an agent's call ended.
func (s *Store) announce(l loop.State) error {
	if s.Announce == nil || !l.Unannounced {
		return nil
	}
	l.Unannounced = false
	if err := s.saveRecord(l); err != nil {
		return err
	}
	s.Announce(l)
	return nil
}

// AtEnd returns the record of a loop that has ended in a conversation, by the loop's own
// id. The error is fs.ErrNotExist if the loop goes on, or is not there.
func (s *Store) AtEnd(conversation, id string) (loop.State, error) {
	l, err := s.Record(id, true)
	if err == nil && (l.ConversationID != conversation || !l.Status.Ended()) {
		err = fs.ErrNotExist
	}
	return l, err
}

// TakeEnd reports whether the caller is the first to act on a loop's end, and notes that
// it does. Once noted, no other caller acts on it until the loop has been continued and
// ends again.
func (s *Store) TakeEnd(ctx context.Context, conversation, id string) (l loop.State, first bool, err error) {
	err = s.locked(ctx, conversation, func() error {
		if live, _, err := s.load(conversation); err == nil && live.ID == id {
			return fs.ErrNotExist // it goes on
		}
		if l, err = s.AtEnd(conversation, id); err != nil || l.OnEndBegun || l.OnEnd == "" || l.StartedAt.IsZero() {
			return err
		}
		l.OnEndBegun, first = true, true
		return s.saveRecord(l)
	})
	return l, first && err == nil, err
}
