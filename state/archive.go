package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	if err := loop.CheckID(id); err != nil {
		return loop.State{}, err
	}
	l, err := s.readRecord(s.recordPath(id))
	l.ConversationID = id
	if err == nil && l.MovedTo != "" {
		return l, &MovedError{id, l.MovedTo}
	}
	return l, err
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
	entries, err := os.ReadDir(s.places.Archive)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, []error{err}
	}
	for _, entry := range entries {
		name, isRecord := strings.CutSuffix(entry.Name(), ".json")
		if !isRecord || strings.HasPrefix(name, ".") {
			continue
		}
		l, err := s.readRecord(filepath.Join(s.places.Archive, entry.Name()))
		switch {
		case err != nil:
			problems = append(problems, err)
		case l.Status.Ended():
			ended = append(ended, l)
		}
	}
	return ended, problems
}

// Put archives a loop that never became live, such as a pending one that was
// cancelled. It must have ended.
func (s *Store) Put(ctx context.Context, l loop.State) error {
	if l.ConversationID == "" {
		data, err := l.Encode()
		if err != nil {
			return err
		}
		return s.writeRecord("unbound"+older+stamp(s.now()), data)
	}
	release, err := s.lock(ctx, l.ConversationID)
	if err != nil {
		return err
	}
	return errors.Join(s.putNamed(l), release())
}

// putNamed does not let a loop that never ran hide the record of one that did.
func (s *Store) putNamed(l loop.State) error {
	data, err := l.Encode()
	if err != nil {
		return err
	}
	name := l.ConversationID
	if _, err := ownfile.Check(s.recordPath(name)); err == nil {
		name += older + stamp(s.now())
	}
	return s.writeRecord(name, data)
}

func stamp(t time.Time) string { return fmt.Sprint(t.UnixNano()) }

func (s *Store) recordPath(name string) string {
	return filepath.Join(s.places.Archive, name+".json")
}

func (s *Store) readRecord(path string) (loop.State, error) {
	data, _, err := ownfile.Read(path, 0)
	if err != nil {
		return loop.State{}, err
	}
	l, err := loop.Parse(data)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return l, err
}

// writeRecord is durable: after a crash of the machine the archive is what is
// left of a loop.
func (s *Store) writeRecord(name string, data []byte) error {
	return ownfile.Replace(s.recordPath(name), s.places.Archive, data, true)
}

// rotate gives the newest record of a conversation another name, because a new
// loop begins there.
func (s *Store) rotate(id string) error {
	from := s.recordPath(id)
	err := os.Rename(from, s.recordPath(id+older+stamp(s.now())))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Move brings a live loop to another conversation, which must have none.
func (s *Store) Move(ctx context.Context, from, to string) error {
	if from == to {
		return nil
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
	return errors.Join(s.save(to, l, nil, true, loop.EventContinue), s.dropJournal(from))
}

// leaveForwarding notes in the record of the old conversation where its loop
// is, so that the copy there is not taken for a loop of its own.
func (s *Store) leaveForwarding(from, to string) error {
	l, err := s.readRecord(s.recordPath(from))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	l.MovedTo = to
	data, err := l.Encode()
	if err != nil {
		return err
	}
	return s.writeRecord(from, data)
}
