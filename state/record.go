package state

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// RecordError says that a loop's commands could not be written to the state folder.
type RecordError struct{ Err error }

// Error returns what went wrong.
func (e *RecordError) Error() string { return "keep the loop's commands: " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *RecordError) Unwrap() error { return e.Err }

// Record returns the record of a loop by its own id, without its history unless that is
// wanted. The error is fs.ErrNotExist for a loop that was asked for where the state folder
// could not be written.
func (s *Store) Record(id string, history bool) (loop.State, error) {
	l, _, err := s.readRecord(id, parserFor(history))
	return l, err
}

// readRecord returns a record, and what its file holds.
func (s *Store) readRecord(id string, parse parser) (loop.State, []byte, error) {
	if !loop.IsShortID(id) {
		return loop.State{}, nil, fs.ErrNotExist
	}
	data, err := s.readKept(s.places.Record(id))
	if err != nil {
		return loop.State{}, nil, err
	}
	l, err := parse(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.places.Record(id), err)
	}
	l.ID = id // the file may be a copy
	return l, data, err
}

// readKept reads a file of the state folder.
func (s *Store) readKept(path string) ([]byte, error) {
	if err := ownfile.CheckFolder(s.places.Archive); err != nil {
		return nil, err
	}
	data, _, err := ownfile.Read(path, 0)
	return data, err
}

// placed returns a loop with the place of its workspace, which is taken when the loop gets it.
func placed(l loop.State) loop.State {
	if l.Folder.Workspace == l.Workspace {
		return l
	}
	l.Folder = loop.Folder{}
	if p, err := ownfile.PlaceOf(l.Workspace); err == nil {
		l.Folder = loop.Folder{Workspace: l.Workspace, Path: p.Path, Number: p.Number}
	}
	return l
}

// saveRecord is durable: after a crash of the machine the record is what is left of a
// loop.
func (s *Store) saveRecord(l loop.State) error {
	data, err := placed(l).Encode()
	if err != nil {
		return err
	}
	return s.writeKept(s.places.Record(l.ID), data)
}

func (s *Store) writeKept(path string, data []byte) error {
	if err := ownfile.Folder(filepath.Dir(path)); err != nil {
		return err
	}
	return s.replaceKept(path, data, true)
}

// replaceKept writes a file of the state folder. What a kill leaves unfinished lies beside
// the records, where it can be swept without a look at all of them.
func (s *Store) replaceKept(path string, data []byte, durable bool) error {
	if err := ownfile.CheckFolder(s.places.Archive); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return ownfile.Replace(path, s.scratch(), data, durable)
}

func (s *Store) scratch() string { return filepath.Join(s.places.Archive, ".new") }

// Keep writes the record of a loop that is asked for. Where that is not possible and the
// loop has commands, the error is a RecordError; without commands nothing is lost.
func (s *Store) Keep(l loop.State) error {
	if was, err := s.Record(l.ID, false); err == nil {
		l = l.Asked(was)
	}
	return orRecordError(s.saveRecord(l), l)
}

func orRecordError(err error, l loop.State) error {
	if err == nil || !l.HasAny() {
		return nil
	}
	return &RecordError{err}
}

// Change writes the commands that the user has given a loop which is not live. Unlike Keep
// it fails where they cannot be written also if there are none any more: the user would
// believe that a gate has changed.
func (s *Store) Change(l loop.State) error {
	was, err := s.Record(l.ID, true)
	if errors.Is(err, fs.ErrNotExist) {
		was, err = l, nil
	}
	if err != nil {
		return &RecordError{err}
	}
	was.Commands = l.Commands
	if err := s.saveRecord(was); err != nil {
		return &RecordError{err}
	}
	return nil
}

// Assign makes a loop a conversation's: no other can claim it then. The workspace is
// where its commands run. A loop without a record stays as it is.
func (s *Store) Assign(id, conversation, workspace string) error {
	l, err := s.Record(id, true)
	if errors.Is(err, fs.ErrNotExist) || err == nil && l.ConversationID == conversation && l.Workspace == workspace {
		return nil
	}
	if err != nil {
		return err
	}
	l.ConversationID, l.Workspace = conversation, workspace
	return orRecordError(s.saveRecord(l), l)
}

// Withdraw removes the record of a loop that was pending. The file may name one that a
// chat has, or had: that stays.
func (s *Store) Withdraw(l loop.State) error {
	was, err := s.Record(l.ID, false)
	if err != nil {
		return ignoreMissing(err)
	}
	if was.ConversationID != "" && was.ConversationID != l.ConversationID || !was.StartedAt.IsZero() {
		return nil
	}
	if now, err := s.inChat(was.ConversationID); err == nil && now == l.ID {
		return nil
	}
	return ignoreMissing(ownfile.Remove(s.places.Record(l.ID)))
}

// Save writes the record of a loop that never was live, as of a pending one that was
// cancelled.
func (s *Store) Save(l loop.State) error { return s.saveRecord(l) }

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
