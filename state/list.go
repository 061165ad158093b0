package state

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// List gives every live loop. What lies there and cannot be read is told in
// problems, and left as it is.
func (s *Store) List() (live []loop.State, problems []error) {
	entries, err := os.ReadDir(s.places.Base)
	if err != nil {
		return nil, []error{err}
	}
	prefix, suffix := s.places.LivePattern()
	for _, entry := range entries {
		id, isLoop := cutBoth(entry.Name(), prefix, suffix)
		if !isLoop || loop.CheckID(id) != nil {
			continue
		}
		l, err := s.Read(id)
		switch {
		case errors.Is(err, fs.ErrNotExist): // ended in between
		case err != nil:
			problems = append(problems, errors.Join(errors.New(entry.Name()), err))
		default:
			live = append(live, l)
		}
	}
	return live, problems
}

func cutBoth(name, prefix, suffix string) (string, bool) {
	name, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, suffix)
}
