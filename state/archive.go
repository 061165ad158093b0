package state

import (
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

// older parts the conversation id from a time in the name of a record that is
// not the conversation's newest. It cannot be in an id.
const older = "~"

// unbound begins the name of a record whose loop never had a conversation.
const unbound = "unbound"

// MovedError says that a loop is in another conversation now. It counts as an
// fs.ErrNotExist.
type MovedError struct{ From, To string }

// Error names both conversations.
func (e *MovedError) Error() string {
	return fmt.Sprintf("the loop of conversation %s went on in conversation %s", e.From, e.To)
}

// Unwrap returns fs.ErrNotExist.
func (e *MovedError) Unwrap() error { return fs.ErrNotExist }

// Archived returns the newest record of a conversation: of an ended loop, or the
// copy of a live one as it was at its last stop. The error is fs.ErrNotExist if
// there is none.
func (s *Store) Archived(id string) (loop.State, error) {
	l, _, err := s.archived(id)
	return l, err
}

// archived also returns what the record's file holds.
func (s *Store) archived(id string) (loop.State, []byte, error) {
	if err := loop.CheckID(id); err != nil {
		return loop.State{}, nil, err
	}
	l, data, err := s.readRecord(id)
	if err == nil && l.MovedTo != "" {
		err = &MovedError{id, l.MovedTo}
	}
	return l.In(id, time.Time{}), data, err
}

// HasRecord reports whether there is a record of a conversation, by one system
// call.
func (s *Store) HasRecord(id string) bool {
	_, err := ownfile.Check(s.places.Record(id))
	return err == nil
}

// EndedWithin reports, by one system call, whether the record of a conversation
// was written so lately that its loop may have ended just now.
func (s *Store) EndedWithin(d time.Duration, id string) bool {
	file, err := ownfile.Check(s.places.Record(id))
	return err == nil && s.now().Sub(file.ModTime()).Abs() < d
}

// Filed is a loop as the archive has it.
type Filed struct {
	Name string // of its file, without .json
	loop.State
}

// IsNewest reports whether it is of the last loop that its conversation had.
func (r Filed) IsNewest() bool { return !strings.Contains(r.Name, older) }

// clockSlack is how far the clock of the file system may be behind ours.
const clockSlack = time.Minute

// Filed returns the records that were written since a moment, those last that
// ended last, without histories. Files that cannot be read are reported in problems.
func (s *Store) Filed(since time.Time) (records []Filed, problems []error) {
	names, err := s.recordNames(func(entry fs.DirEntry) bool {
		info, err := entry.Info()
		return err == nil && (since.IsZero() || info.ModTime().After(since.Add(-clockSlack)))
	})
	if err != nil {
		return nil, []error{err}
	}
	for i, found := range s.readAll(names, func(name string) (loop.State, error) { return s.Record(name, false) }) {
		switch {
		case errors.Is(found.err, fs.ErrNotExist): // just moved away
		case found.err != nil:
			problems = append(problems, found.err)
		case found.loop.MovedTo == "":
			records = append(records, Filed{names[i], found.loop})
		}
	}
	slices.SortStableFunc(records, func(a, b Filed) int { return a.EndedAt.Compare(b.EndedAt) })
	return records, problems
}

// EndedSince lists the records of loops that ended since a moment, newest last,
// without histories. A record is written when its loop ends, so older files are
// not opened.
func (s *Store) EndedSince(at time.Time) (ended []loop.State) {
	records, _ := s.Filed(at)
	for _, r := range records {
		if r.Status.Ended() && !r.EndedAt.Before(at) {
			ended = append(ended, r.State)
		}
	}
	return ended
}

// conversationOf is what the name of a record says, as a file may have been copied.
func conversationOf(name string, l loop.State) string {
	if id, _, _ := strings.Cut(name, older); id != unbound {
		return id
	}
	return l.ConversationID
}

// RecordNames returns the names of all records, without .json.
func (s *Store) RecordNames() ([]string, error) { return s.recordNames(nil) }

// Record returns a record by its name, without its history unless that is wanted.
func (s *Store) Record(name string, history bool) (loop.State, error) {
	data, _, err := ownfile.Read(s.places.Record(name), 0)
	if err != nil {
		return loop.State{}, err
	}
	l, err := parserFor(history)(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.places.Record(name), err)
	}
	return l.In(conversationOf(name, l), time.Time{}), err
}

// recordNames lists the records that are wanted, without .json; nil is all.
func (s *Store) recordNames(wanted func(fs.DirEntry) bool) (names []string, err error) {
	if err := ownfile.CheckFolder(s.places.Archive); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.places.Archive)
	for _, entry := range entries {
		name, isRecord := strings.CutSuffix(entry.Name(), ".json")
		if isRecord && !strings.HasPrefix(name, ".") && (wanted == nil || wanted(entry)) {
			names = append(names, name)
		}
	}
	return names, err
}

// Put archives a loop that never became live, such as a pending one that was
// cancelled. It must have ended. Doing it once more changes nothing.
func (s *Store) Put(ctx context.Context, l loop.State) error {
	id := l.ConversationID
	if id == "" {
		return s.putOlder(unbound, l)
	}
	return s.locked(ctx, id, func() error { return s.putNamed(id, l) })
}

// Forget removes the record of a loop that never ran, within Ask.
func (s *Store) Forget(record string) error { return ownfile.Remove(s.places.Record(record)) }

// putNamed does not let a loop that never ran hide the record of one that did,
// nor take the name that the next copy of a running one gets.
func (s *Store) putNamed(id string, l loop.State) error {
	has, err := s.Has(id)
	if err != nil {
		return err
	}
	there, err := s.sameRecord(id, l)
	switch {
	case !has && errors.Is(err, fs.ErrNotExist):
		return s.saveRecord(id, l)
	case there:
		return nil
	case errors.As(err, new(*fs.PathError)) && !errors.Is(err, fs.ErrNotExist):
		return err // for a disk that failed once it would get a name by which nobody looks
	}
	return s.putOlder(id, l)
}

// putOlder writes a record that is not its conversation's newest.
func (s *Store) putOlder(id string, l loop.State) (err error) {
	for i := range 100 {
		name := id + older + stamp(l.EndedAt.Add(time.Duration(i)))
		var there bool
		there, err = s.sameRecord(name, l)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return s.saveRecord(name, l)
		case there:
			return nil
		}
	}
	return errors.Join(fmt.Errorf("too many records of %s end at one time", id), err)
}

// sameRecord reports whether a record holds a loop exactly as it is.
func (s *Store) sameRecord(name string, l loop.State) (bool, error) {
	_, was, err := s.readRecord(name)
	if err != nil {
		return false, err
	}
	data, err := l.Encode()
	return string(data) == string(was), err
}

func stamp(t time.Time) string { return fmt.Sprint(t.UnixNano()) }

// readRecord returns a record, and what its file holds.
func (s *Store) readRecord(name string) (loop.State, []byte, error) {
	if err := ownfile.CheckFolder(s.places.Archive); err != nil {
		return loop.State{}, nil, err
	}
	data, _, err := ownfile.Read(s.places.Record(name), 0)
	if err != nil {
		return loop.State{}, nil, err
	}
	l, err := loop.Parse(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.places.Record(name), err)
	}
	return l, data, err
}

func (s *Store) saveRecord(name string, l loop.State) error {
	data, err := l.Encode()
	if err != nil {
		return err
	}
	return s.writeRecord(name, data)
}

// writeRecord is durable: after a crash of the machine the archive is what is
// left of a loop.
func (s *Store) writeRecord(name string, data []byte) error {
	return s.replaceKept(s.places.Record(name), data, true)
}

// replaceKept writes a file of the archive. What a kill leaves unfinished lies
// beside the records, where it can be swept without a look at all of them.
func (s *Store) replaceKept(path string, data []byte, durable bool) error {
	if err := ownfile.CheckFolder(s.places.Archive); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return ownfile.Replace(path, s.scratch(), data, durable)
}

func (s *Store) scratch() string { return filepath.Join(s.places.Archive, ".new") }

// rotate renames the newest record of a conversation, because a new loop begins
// there.
func (s *Store) rotate(id string) error {
	if err := ownfile.CheckFolder(s.places.Archive); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for at := s.now(); ; at = at.Add(1) {
		to := s.places.Record(id + older + stamp(at))
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		err := ownfile.Rename(s.places.Record(id), to)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
}
