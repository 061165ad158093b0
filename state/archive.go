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

// MovedError tells that a loop is in another conversation now. It counts as an
// fs.ErrNotExist.
type MovedError struct{ From, To string }

// Error names both conversations.
func (e *MovedError) Error() string {
	return fmt.Sprintf("the loop of conversation %s went on in conversation %s", e.From, e.To)
}

// Unwrap gives fs.ErrNotExist.
func (e *MovedError) Unwrap() error { return fs.ErrNotExist }

// Archived gives the newest record of a conversation: of an ended loop, or the
// copy of a live one as it was at its last stop. It gives an fs.ErrNotExist
// where there is none.
func (s *Store) Archived(id string) (loop.State, error) {
	l, _, err := s.archived(id)
	return l, err
}

// archived gives what the record's file holds, too.
func (s *Store) archived(id string) (loop.State, []byte, error) {
	if err := loop.CheckID(id); err != nil {
		return loop.State{}, nil, err
	}
	l, data, err := s.readRecord(id)
	l.ConversationID = id
	if err == nil && l.MovedTo != "" {
		err = &MovedError{id, l.MovedTo}
	}
	return l, data, err
}

// Recorded tells whether there is a record of a conversation, by one system
// call.
func (s *Store) Recorded(id string) bool {
	_, err := ownfile.Check(s.recordPath(id))
	return err == nil
}

// Records lists every record of the archive that ended, newest last. Files
// that cannot be read are told in problems.
func (s *Store) Records() (ended []loop.State, problems []error) {
	if err := ownfile.CheckFolder(s.places.Archive); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, []error{err}
	}
	entries, err := os.ReadDir(s.places.Archive)
	if err != nil {
		return nil, []error{err}
	}
	for _, entry := range entries {
		name, isRecord := strings.CutSuffix(entry.Name(), ".json")
		if !isRecord || strings.HasPrefix(name, ".") {
			continue
		}
		l, _, err := s.readRecord(name)
		switch {
		case err != nil:
			problems = append(problems, err)
		case l.Status.Ended():
			ended = append(ended, l)
		}
	}
	slices.SortStableFunc(ended, func(a, b loop.State) int { return a.EndedAt.Compare(b.EndedAt) })
	return ended, problems
}

// Put archives a loop that never became live, such as a pending one that was
// cancelled. It must have ended. Doing it once more changes nothing.
func (s *Store) Put(ctx context.Context, l loop.State) error {
	id := l.ConversationID
	if id == "" {
		return s.putOlder("unbound", l)
	}
	release, err := s.lock(ctx, id)
	if err != nil {
		return err
	}
	return errors.Join(s.putNamed(id, l), release())
}

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

// sameRecord tells whether a record holds a loop exactly as it is.
func (s *Store) sameRecord(name string, l loop.State) (bool, error) {
	_, was, err := s.readRecord(name)
	if err != nil {
		return false, err
	}
	data, err := l.Encode()
	return string(data) == string(was), err
}

func stamp(t time.Time) string { return fmt.Sprint(t.UnixNano()) }

func (s *Store) recordPath(name string) string {
	return filepath.Join(s.places.Archive, name+".json")
}

// readRecord gives a record, and what its file holds.
func (s *Store) readRecord(name string) (loop.State, []byte, error) {
	if err := ownfile.CheckFolder(s.places.Archive); err != nil {
		return loop.State{}, nil, err
	}
	data, _, err := ownfile.Read(s.recordPath(name), 0)
	if err != nil {
		return loop.State{}, nil, err
	}
	l, err := loop.Parse(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", s.recordPath(name), err)
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
	return s.replaceKept(s.recordPath(name), data, true)
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

// rotate gives the newest record of a conversation another name, because a new
// loop begins there.
func (s *Store) rotate(id string) error {
	if err := ownfile.CheckFolder(s.places.Archive); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for at := s.now(); ; at = at.Add(1) {
		to := s.recordPath(id + older + stamp(at))
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		err := os.Rename(s.recordPath(id), to)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
}

// Move brings a live loop to another conversation, which must have none.
func (s *Store) Move(ctx context.Context, from, to string) error {
	if err := errors.Join(loop.CheckID(from), loop.CheckID(to)); err != nil || from == to {
		return err
	}
	release, err := s.lockBoth(ctx, from, to)
	if err != nil {
		return err
	}
	return errors.Join(s.move(from, to), release())
}

// lockBoth takes two locks in the order of their numbers, so that two moves
// cannot wait for each other.
func (s *Store) lockBoth(ctx context.Context, a, b string) (func() error, error) {
	if slot(b) < slot(a) {
		a, b = b, a
	}
	first, err := s.lock(ctx, a)
	if err != nil || slot(a) == slot(b) {
		return first, err
	}
	second, err := s.lock(ctx, b)
	if err != nil {
		return nil, errors.Join(err, first())
	}
	return func() error { return errors.Join(second(), first()) }, nil
}

// move renames the live file, which is the one step that counts; killed before
// it the loop is still where it was, killed after it it is at its new place.
func (s *Store) move(from, to string) error {
	l, _, err := s.load(from)
	if err != nil {
		return err
	}
	if _, _, err := s.load(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("conversation %s has a loop already: %w", to, fs.ErrExist), err)
	}
	if err := s.leaveForwarding(from, to); err != nil {
		return err
	}
	if err := errors.Join(s.rotate(to), s.dropJournal(to)); err != nil {
		return err
	}
	if err := os.Rename(s.places.Live(from), s.places.Live(to)); err != nil {
		return err
	}
	l.ConversationID, l.ContinueIn, l.Journal = to, "", loop.Mark{Of: to, Tools: l.Journal.Tools}
	_, err = s.save(to, l, nil, true, loop.EventContinue)
	return errors.Join(err, s.dropJournal(from))
}

// leaveForwarding notes in the record of the old conversation where its loop
// is, so that the copy there is not taken for a loop of its own.
func (s *Store) leaveForwarding(from, to string) error {
	l, _, err := s.readRecord(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	l.MovedTo = to
	return s.saveRecord(from, l)
}
