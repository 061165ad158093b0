package state

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// ArchiveError says that an event happened and is saved, but not in the
// loop's record, which is written again at the next one.
type ArchiveError struct{ Err error }

// Error returns what went wrong.
func (e *ArchiveError) Error() string { return "record: " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *ArchiveError) Unwrap() error { return e.Err }

// Apply lets an event happen to the loop of a conversation, to no other than e.LoopID
// where that is set. For a conversation without a live loop it returns an fs.ErrNotExist;
// but an event that may concern one that has ended or is interrupted, such as
// EventContinue, finds its record. A loop that is continued in another conversation is
// moved there.
func (s *Store) Apply(ctx context.Context, id string, e loop.Event) (l loop.State, a loop.Action, err error) {
	if to := e.Conversation; to != "" && to != id {
		err = s.lockedBoth(ctx, id, to, func() (err error) {
			l, a, err = s.applyIn(id, to, e)
			return err
		})
		return l, a, err
	}
	err = s.locked(ctx, id, func() (err error) {
		l, a, err = s.apply(id, e)
		return err
	})
	return l, a, err
}

// applyIn is apply of a continue in another conversation.
func (s *Store) applyIn(id, to string, e loop.Event) (loop.State, loop.Action, error) {
	_, _, err := s.load(to)
	e.Occupied = !errors.Is(err, fs.ErrNotExist)
	l, a, err := s.apply(id, e)
	if err != nil && !errors.As(err, new(*ArchiveError)) || a.Kind != loop.Followup {
		return l, a, err
	}
	moved, failed := s.move(id, to)
	if failed != nil {
		return l, a, failed
	}
	return moved, a, err
}

func (s *Store) apply(id string, e loop.Event) (loop.State, loop.Action, error) {
	old, was, err := s.load(id)
	live := err == nil
	if errors.Is(err, fs.ErrNotExist) {
		old, was, err = s.concerned(id, &e)
	}
	if err == nil && e.LoopID != "" && e.LoopID != old.ID {
		err = fs.ErrNotExist // another loop has begun there
	}
	if err != nil {
		return loop.State{}, loop.Action{}, err
	}
	if old, err = s.prepare(id, old, live, &e); err != nil {
		return old, loop.Action{}, err
	}
	next, action := loop.Decide(s.withInbox(old, &e), e, s.now())
	switch action.Kind {
	case loop.AwaitText, loop.AskTyping: // nothing was decided
		return old, action, nil
	case loop.Refuse:
		if !live && !e.FromLine {
			return old, action, nil
		}
	}
	next, err = s.save(id, old, next, was, live, e.Kind)
	if errors.As(err, new(*RecordError)) && e.Kind.IsForInbox() && s.AddToJournal(id, loop.Record{Kind: loop.RecordInbox, At: s.now(), Adds: e.Kind, Text: e.Text}) == nil {
		return next, action, nil // the next stop takes it in
	}
	if next.Status.Ended() && !old.Status.Ended() {
		s.ended(next)
	}
	return next, action, err
}

// withInbox returns a loop with what the agent's own calls have left for this event.
func (s *Store) withInbox(l loop.State, e *loop.Event) loop.State {
	for _, added := range e.Turn.Inbox {
		l, _ = loop.Decide(l, added, s.now())
	}
	return l
}

// concerned returns the record that an event is about in a conversation without a live
// loop, and what its file holds.
func (s *Store) concerned(id string, e *loop.Event) (l loop.State, was []byte, err error) {
	switch e.Kind {
	case loop.EventLateText, loop.EventMessage:
		l, was, err = s.justEnded(id)
	case loop.EventCancel:
		l, was, err = s.entered(id, loop.Parse)
	case loop.EventContinue, loop.EventInjected:
		if e.LoopID == "" {
			l, was, err = s.recorded(id)
			break
		}
		if l, was, err = s.readRecord(e.LoopID, loop.Parse); err == nil && !s.isOf(l, id) {
			err = fs.ErrNotExist
		}
		if last, _, _ := s.recorded(id); last.ID != l.ID { // the turn of its last line is long over
			l.Due = loop.Due{}
		}
	default:
		err = fs.ErrNotExist
	}
	if err == nil && l.IsAsked() {
		err = fs.ErrNotExist // it is pending
	}
	return l, was, err
}

// prepare puts into the event what the files beside the loop's hold.
func (s *Store) prepare(id string, l loop.State, live bool, e *loop.Event) (loop.State, error) {
	l.ConversationID = id
	if !live && !l.Status.Ended() {
		l.EventAt = time.Time{} // nothing is at work there
	}
	if !live && e.Kind == loop.EventContinue {
		if err := s.dropJournal(id); err != nil { // left by a hook that found the loop live
			return l, err
		}
	}
	return s.withTurn(id, l, e)
}

// save writes a loop where it now belongs: among the live ones, with a copy in its record
// at every stop, or in its record alone. What has not changed is not written.
func (s *Store) save(id string, old, l loop.State, was []byte, live bool, kind loop.EventKind) (loop.State, error) {
	if l.Workspace != old.Workspace {
		l = placed(l)
	}
	if !live && (l.Status.Ended() || kind != loop.EventContinue) {
		return l, s.saveResting(id, l, was)
	}
	if !live {
		if err := s.Enter(id, l); err != nil {
			return l, err
		}
	}
	hasChanged := !l.Equal(old.Commands)
	if live && kind == loop.EventSet && hasChanged {
		if err := s.keepIn(id, l); err != nil {
			return old, &RecordError{err}
		}
		hasChanged = false
	}
	isRecorded := l.Kept && !old.StartedAt.IsZero() // then its record is what counts
	if isRecorded && live {
		if err := s.saveChange(l, kind); err != nil {
			return old, &RecordError{err}
		}
	}
	if err := s.writeLive(id, l, was); err != nil {
		return l, err
	}
	var err error
	switch {
	case l.Status.Ended():
		l, err = s.finish(id, l)
	case !live || !isRecorded:
		if l.Kept || !live {
			err = s.saveRecord(l)
		}
	}
	if err != nil {
		err = &ArchiveError{err}
	}
	return l, err
}

// saveChange writes the record of a live loop, unless nothing has changed. At a stop, and when it ends, that is durable.
func (s *Store) saveChange(l loop.State, kind loop.EventKind) error {
	data, err := l.Encode()
	if err != nil {
		return err
	}
	if was, err := s.readKept(s.places.Record(l.ID)); err == nil && string(was) == string(data) {
		return nil
	}
	return s.replaceKept(s.places.Record(l.ID), data, kind == loop.EventStop || kind == loop.EventContinue || l.Status.Ended())
}

// writeLive writes a live file, unless it is so already.
func (s *Store) writeLive(id string, l loop.State, was []byte) error {
	data, err := l.InTmp().Encode()
	if err != nil || string(data) == string(was) {
		return err
	}
	return ownfile.Replace(s.places.Live(id), s.places.Scratch(), data, false)
}

// saveResting writes a loop that is not live.
func (s *Store) saveResting(id string, l loop.State, was []byte) error {
	data, err := l.Encode()
	if err == nil && string(data) != string(was) {
		err = s.writeKept(s.places.Record(l.ID), data)
	}
	if err != nil || !l.Status.Ended() {
		return err
	}
	return s.leave(id, l.ID)
}
