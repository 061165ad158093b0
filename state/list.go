package state

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// List returns every live loop. What lies there and cannot be read is reported in
// problems, and left as it is.
func (s *Store) List() (live []loop.State, problems []error) { return s.list(loop.Parse) }

// Heads is List for showing: the loops have no history, which is most of a file.
func (s *Store) Heads() (live []loop.State, problems []error) { return s.list(loop.ParseHead) }

func (s *Store) list(parse parser) (live []loop.State, problems []error) {
	ids, err := s.IDs()
	if err != nil {
		return nil, []error{err}
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

// LiveBeginning returns the conversations of the live loops whose own id or conversation
// begins so; of one whose own id it is, that alone.
func (s *Store) LiveBeginning(typed string) (conversations []string) {
	live, _ := s.IDs()
	for _, id := range live {
		l, err := s.read(id, loop.ParseHead)
		switch {
		case err != nil: // it has ended, or doctor shows it
		case l.ID == typed:
			return []string{l.ConversationID}
		case strings.HasPrefix(l.ID, typed), strings.HasPrefix(l.ConversationID, typed):
			conversations = append(conversations, l.ConversationID)
		}
	}
	return conversations
}

// WithID returns the loop with this short id, without its history: a live one, or one
// that is the last of which its conversation has a record.
func (s *Store) WithID(id string) (loop.State, error) {
	live, _ := s.IDs()
	for _, conversation := range live {
		if l, err := s.read(conversation, loop.ParseHead); err == nil && l.ID == id {
			return l, nil
		}
	}
	names, _ := s.recordNames(nil)
	for _, name := range names {
		if strings.Contains(name, older) || !s.mayHave(name, id) {
			continue
		}
		if l, err := s.Record(name, false); err == nil && l.ID == id && l.MovedTo == "" {
			return l, nil
		}
	}
	return loop.State{}, fs.ErrNotExist
}

// mayHave reports whether a record may be of the loop with this short id. Only one
// without an id, or one that was written by hand, has to be parsed for that: a hook has
// no time to parse ten thousand.
func (s *Store) mayHave(name, id string) bool {
	data, _, err := ownfile.Read(s.places.Record(name), 0)
	_, own, found := bytes.Cut(data, []byte("\n  \"id\": \""))
	return err == nil && (!found || bytes.HasPrefix(own, []byte(id+`"`)))
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

// IDs returns the conversations that have a live loop, by the names of its files
// alone.
func (s *Store) IDs() (ids []string, err error) {
	entries, err := os.ReadDir(s.places.Base)
	if err != nil {
		return nil, err
	}
	prefix, suffix := s.places.LivePattern()
	for _, entry := range entries {
		if id, isLoop := cutBoth(entry.Name(), prefix, suffix); isLoop && loop.CheckID(id) == nil {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func cutBoth(name, prefix, suffix string) (string, bool) {
	name, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, suffix)
}
