package state

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// saveRecord is durable: after a crash of the machine the record is what is left of a
// loop.
func (s *Store) saveRecord(l loop.State) error {
	data, err := l.Encode()
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

// withRecord returns a loop that was read from a live file with what its record alone
// says. The live file has no say in that: not by another id, and not by another workspace.
// If the state folder cannot be read, nothing is decided about a loop that has commands.
func (s *Store) withRecord(conversation string, l loop.State) (loop.State, error) {
	r, _, err := s.entered(conversation, loop.ParseHead)
	switch {
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
// it was at its last stop, else of the one that ended last. The error is fs.ErrNotExist if
// there is none.
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

// clockSlack is how far the clock of the file system may be behind ours.
const clockSlack = time.Minute

// Records returns the records that were written since a moment, those last that ended
// last, without histories; those of pending loops are left out. Files that cannot be read
// are reported in problems.
func (s *Store) Records(since time.Time) (records []loop.State, problems []error) {
	ids, err := s.recordIDs(func(entry fs.DirEntry) bool {
		info, err := entry.Info()
		return err == nil && (since.IsZero() || info.ModTime().After(since.Add(-clockSlack)))
	})
	if err != nil {
		return nil, []error{err}
	}
	for _, found := range s.readAll(ids, func(id string) (loop.State, error) { return s.Record(id, false) }) {
		switch {
		case errors.Is(found.err, fs.ErrNotExist): // just removed
		case found.err != nil:
			problems = append(problems, found.err)
		case !found.loop.IsAsked():
			records = append(records, found.loop)
		}
	}
	slices.SortStableFunc(records, func(a, b loop.State) int { return a.EndedAt.Compare(b.EndedAt) })
	return records, problems
}

// EndedSince lists the records of loops that ended since a moment, newest last,
// without histories. A record is written when its loop ends, so older files are
// not opened.
func (s *Store) EndedSince(at time.Time) (ended []loop.State) {
	records, _ := s.Records(at)
	for _, l := range records {
		if l.Status.Ended() && !l.EndedAt.Before(at) {
			ended = append(ended, l)
		}
	}
	return ended
}

// RecordIDs returns the own ids of all loops that have a record.
func (s *Store) RecordIDs() ([]string, error) { return s.recordIDs(nil) }

func (s *Store) recordIDs(wanted func(fs.DirEntry) bool) (ids []string, err error) {
	if err := ownfile.CheckFolder(s.places.Archive); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.places.Records())
	for _, entry := range entries {
		id, isRecord := strings.CutSuffix(entry.Name(), ".json")
		if isRecord && loop.IsShortID(id) && entry.Type().IsRegular() && (wanted == nil || wanted(entry)) {
			ids = append(ids, id)
		}
	}
	return ids, ignoreMissing(err)
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
		l, _, err := s.entered(id, loop.Parse)
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && l.Status.Ended():
			return ignoreMissing(ownfile.Remove(s.places.Chat(id))) // left by a kill
		case err != nil || l.IsAsked() || s.isComing(l):
			return err
		}
		restored = true
		return errors.Join(s.dropJournal(id), s.writeLive(id, l, nil))
	})
	return restored && err == nil, err
}

// isComing reports whether a kill kept a loop from coming to the conversation that its
// record names.
func (s *Store) isComing(l loop.State) bool {
	was, err := s.inChat(l.CameFrom)
	return err == nil && was == l.ID && s.isFileOf(l.CameFrom, l.ID)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
