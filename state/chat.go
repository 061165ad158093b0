package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Enter makes a loop the one of a conversation, whose lock the caller holds. A loop
// without a record does not take the place of one: its user's gates stay until it ends,
// or another is asked for.
func (s *Store) Enter(conversation string, l loop.State) error {
	if _, err := s.Record(l.ID, false); err != nil {
		return ignoreMissing(err)
	}
	return orRecordError(s.enter(conversation, l.ID), l)
}

func (s *Store) enter(conversation, id string) error {
	was, err := s.inChat(conversation)
	if err == nil && was == id {
		return nil
	}
	return s.writeKept(s.places.Chat(conversation), []byte(id+"\n"))
}

// leave notes that a loop is not its conversation's any more.
func (s *Store) leave(conversation, id string) error {
	if now, err := s.inChat(conversation); err != nil || now != id {
		return ignoreMissing(err)
	}
	return ignoreMissing(ownfile.Remove(s.places.Chat(conversation)))
}

// HasEntered reports whether a conversation has a loop that has not ended, as far as the
// state folder knows, by one system call.
func (s *Store) HasEntered(conversation string) bool {
	_, err := ownfile.Check(s.places.Chat(conversation))
	return err == nil
}

// inChat returns the own id of a conversation's loop that has not ended.
func (s *Store) inChat(conversation string) (id string, err error) {
	data, err := s.readKept(s.places.Chat(conversation))
	if err != nil {
		return "", err
	}
	if id := strings.TrimSuffix(string(data), "\n"); loop.IsShortID(id) {
		return id, nil
	}
	return "", fmt.Errorf("%s holds no loop's id", s.places.Chat(conversation))
}

// entered returns the record of a conversation's loop, and what its file holds. A kill may
// have left an entry of a loop that has ended since, or that is another chat's.
func (s *Store) entered(conversation string, parse parser) (loop.State, []byte, error) {
	id, err := s.inChat(conversation)
	if err != nil {
		return loop.State{}, nil, err
	}
	l, data, err := s.readRecord(id, parse)
	if err == nil && !s.isOf(l, conversation) {
		err = fs.ErrNotExist
	}
	return l, data, err
}

// isOf reports whether a record names a conversation. Until its live file is there a loop
// has not come to the one that it is to move to.
func (s *Store) isOf(l loop.State, conversation string) bool {
	return l.ConversationID == conversation || l.CameFrom == conversation && !s.isFileOf(l.ConversationID, l.ID)
}

// isFileOf reports whether a conversation's live file is of the loop with this id.
func (s *Store) isFileOf(conversation, id string) bool {
	data, info, err := ownfile.Read(s.places.Live(conversation), 0)
	if err != nil {
		return false
	}
	l, err := loop.ParseHead(data)
	return err == nil && l.In(conversation, info.ModTime()).ID == id
}

// withRecord returns a loop that was read from a live file with what its record says, which is all but two fields. Before it has begun,
// and for a file that came with another id, the record says what commands there are, and where they run.
// If the state folder cannot be read, nothing is decided about a loop that has commands.
func (s *Store) withRecord(conversation string, l loop.State, parse parser) (loop.State, error) {
	r, _, err := s.entered(conversation, parse)
	switch {
	case err == nil && r.ID == l.ID && r.ConversationID == conversation && !r.StartedAt.IsZero():
		return r.WithView(l), nil
	case err == nil && (r.ID == l.ID || !l.Status.Ended()):
		return l.WithRecord(r), nil
	case errors.Is(err, fs.ErrNotExist) || !l.HasRecord:
		err = nil
	}
	return l.WithRecord(loop.State{}), err
}

// adopt makes a record of a live loop that has none: its file was written by hand, or in a
// sandbox. Such a file may come from anybody: it never takes the place of another record.
func (s *Store) adopt(conversation string, l loop.State) (loop.State, error) {
	if _, _, err := s.entered(conversation, loop.ParseHead); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	as := l
	for at := s.now(); ; at = at.Add(1) {
		taken, err := s.isTaken(as.ID, conversation)
		if err != nil {
			return l, err
		}
		if !taken {
			break
		}
		as.ID, as.CreatedAt = "", at
		as.ID = as.ShortID()
	}
	if err := s.keepIn(conversation, as); err != nil {
		return l, err
	}
	as.Kept = true
	return as, nil
}

// keepIn writes the record of a loop, and makes it the one of a conversation.
func (s *Store) keepIn(conversation string, l loop.State) error {
	if err := s.saveRecord(l); err != nil {
		return err
	}
	return s.enter(conversation, l.ID)
}

// isTaken reports whether a record is of another loop: not of one that came back in a
// sandbox, or that a kill kept from being adopted. The error is that of a record which cannot be looked at
// now: it may be this very loop's.
func (s *Store) isTaken(id, conversation string) (bool, error) {
	l, err := s.Record(id, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.As(err, new(*fs.PathError)) && !errors.Is(err, ownfile.ErrNotOurs):
		return false, err
	}
	return err != nil || l.ConversationID != conversation || l.HasAny(), nil
}

// MovedError says that a loop is in another conversation now. It counts as an
// fs.ErrNotExist.
type MovedError struct {
	Loop string // its short id
	To   string
}

// Error names the loop.
func (e *MovedError) Error() string {
	return fmt.Sprintf("loop %s went on in another chat", e.Loop)
}

// Unwrap returns fs.ErrNotExist.
func (e *MovedError) Unwrap() error { return fs.ErrNotExist }

// Recorded returns the record of a conversation's loop: of the one that has not ended, as
// it was at its last stop, else of the one that ended last. Without one the error is
// fs.ErrNotExist.
func (s *Store) Recorded(conversation string) (loop.State, error) {
	l, _, err := s.recorded(conversation)
	return l, err
}

func (s *Store) recorded(conversation string) (loop.State, []byte, error) {
	if err := loop.CheckID(conversation); err != nil {
		return loop.State{}, nil, err
	}
	l, data, err := s.entered(conversation, loop.Parse)
	if errors.Is(err, fs.ErrNotExist) {
		l, data, err = s.justEnded(conversation)
	}
	if errors.Is(err, fs.ErrNotExist) {
		l, data, err = s.last(conversation)
	}
	return l, data, err
}

// last looks for the newest record of a conversation among all of them.
func (s *Store) last(conversation string) (loop.State, []byte, error) {
	ids, err := s.RecordIDs()
	if err != nil {
		return loop.State{}, nil, err
	}
	newest, moved := loop.State{}, error(fs.ErrNotExist)
	for _, id := range ids {
		data, err := s.readKept(s.places.Record(id))
		if err != nil || !bytes.Contains(data, []byte(`"`+conversation+`"`)) {
			continue
		}
		l, err := loop.ParseHead(data)
		switch l.ID = id; {
		case err != nil || l.IsAsked():
		case l.ConversationID == conversation:
			if newest.ID == "" || lastSeen(l).After(lastSeen(newest)) {
				newest = l
			}
		case l.CameFrom == conversation:
			moved = &MovedError{l.ShortID(), l.ConversationID}
		}
	}
	if newest.ID == "" {
		return newest, nil, moved
	}
	return s.readRecord(newest.ID, loop.Parse)
}

// lastSeen is when a loop ended, or what is known of it was written.
func lastSeen(l loop.State) time.Time {
	if l.EndedAt.IsZero() {
		return l.EventAt
	}
	return l.EndedAt
}

// HasHad reports whether there is a record of a conversation. It may look at all of them.
func (s *Store) HasHad(conversation string) bool {
	_, _, err := s.recorded(conversation)
	return err == nil
}

// IsLast reports whether a loop that has not ended is the last one of its conversation.
func (s *Store) IsLast(l loop.State) bool {
	id, err := s.inChat(l.ConversationID)
	return err == nil && id == l.ID
}

// Restore makes the loop of a conversation live again that has not ended and whose live
// file is gone, as after a restart, and reports whether it did.
func (s *Store) Restore(ctx context.Context, id string) (restored bool, err error) {
	err = s.locked(ctx, id, func() error {
		if _, _, err := s.load(id); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		restored, err = s.restore(id)
		return err
	})
	return restored && err == nil, err
}

func (s *Store) restore(id string) (restored bool, err error) {
	l, _, err := s.entered(id, loop.Parse)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && l.Status.Ended():
		return false, ignoreMissing(ownfile.Remove(s.places.Chat(id))) // left by a kill
	case err != nil || l.IsAsked() || s.isComing(l):
		return false, err
	}
	return true, errors.Join(s.dropJournal(id), s.writeLive(id, l, nil))
}

// isComing reports whether a kill kept a loop from coming to the conversation that its
// record names.
func (s *Store) isComing(l loop.State) bool {
	was, err := s.inChat(l.CameFrom)
	return err == nil && was == l.ID && s.isFileOf(l.CameFrom, l.ID)
}
