package state

import (
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

// List returns every live loop. What lies there and cannot be read is reported in
// problems, and left as it is.
func (s *Store) List() (live []loop.State, problems []error) { return s.list(loop.Parse) }

// Heads is List for showing: the loops have no history, which is most of a file.
func (s *Store) Heads() (live []loop.State, problems []error) { return s.list(loop.ParseHead) }

func (s *Store) list(parse parser) (live []loop.State, problems []error) {
	ids, left, err := s.ids()
	switch {
	case err != nil:
		return nil, []error{err}
	case left > 0:
		problems = append(problems, fmt.Errorf("%w in %s: %d are not read; remove those that none of your loops needs", ErrTooMany, s.places.Base, left))
	}
	for i, found := range s.readAll(ids, func(id string) (loop.State, error) { return s.read(id, parse) }) {
		switch {
		case errors.Is(found.err, fs.ErrNotExist): // ended meanwhile
		case found.err != nil:
			problems = append(problems, errors.Join(errors.New(filepath.Base(s.places.Live(ids[i]))), found.err))
		default:
			live = append(live, found.loop)
		}
	}
	return live, problems
}

// WithID returns the loop with this short id, without its history: as its live file has
// it, else as its record does.
func (s *Store) WithID(id string) (loop.State, error) {
	r, err := s.Record(id, false)
	if errors.Is(err, fs.ErrNotExist) {
		return s.unrecorded(id)
	}
	if err != nil {
		return r, err
	}
	for _, conversation := range []string{r.ConversationID, r.CameFrom} {
		if l, err := s.read(conversation, loop.ParseHead); err == nil && l.ID == id {
			return l, nil
		}
	}
	return r, nil
}

// unrecorded finds a live loop without a record.
func (s *Store) unrecorded(id string) (loop.State, error) {
	live, _ := s.IDs()
	for _, conversation := range live {
		if l, err := s.read(conversation, loop.ParseHead); err == nil && l.ID == id {
			return l, nil
		}
	}
	return loop.State{}, fs.ErrNotExist
}

// parser is loop.Parse or loop.ParseHead.
type parser func(data []byte) (loop.State, error)

func parserFor(history bool) parser {
	if history {
		return loop.Parse
	}
	return loop.ParseHead
}

// found is what came of reading a file.
type found struct {
	loop loop.State
	err  error
}

// readAll reads many files, several at a time.
func (s *Store) readAll(names []string, read func(name string) (loop.State, error)) []found {
	all := make([]found, len(names))
	ownfile.Each(len(names), func(i int) { all[i].loop, all[i].err = read(names[i]) })
	return all
}

// mostRead is how many live loops are read: more than anybody has.
const mostRead = 1000

// ErrTooMany is wrapped by the problem that stands for the live loops that were not read.
var ErrTooMany = errors.New("more than 1000 files of loops")

// IDs returns the conversations that have a live loop, by the names of its files
// alone. Of too many it returns some, those that the state folder knows first.
func (s *Store) IDs() (ids []string, err error) {
	ids, _, err = s.ids()
	return ids, err
}

func (s *Store) ids() (ids []string, left int, err error) {
	entries, err := os.ReadDir(s.places.Base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil // the first loop creates it
	}
	if err != nil {
		return nil, 0, err
	}
	prefix, suffix := s.places.LivePattern()
	for _, entry := range entries {
		if id, isLoop := cutBoth(entry.Name(), prefix, suffix); isLoop && loop.CheckID(id) == nil {
			ids = append(ids, id)
		}
	}
	if left = len(ids) - mostRead; left <= 0 {
		return ids, 0, nil
	}
	isUnknown := func(id string) bool { _, err := os.Lstat(s.places.Chat(id)); return err != nil }
	known := slices.DeleteFunc(slices.Clone(ids), isUnknown)
	unknown := slices.DeleteFunc(ids, func(id string) bool { return !isUnknown(id) })
	return append(known, unknown...)[:mostRead], left, nil
}

func cutBoth(name, prefix, suffix string) (string, bool) {
	name, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, suffix)
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
