package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// History returns all iterations of a loop, the oldest first: those which no
// longer fit into its file, and those in it. With an error it returns the latter.
func (s *Store) History(l loop.State) ([]loop.Iteration, error) {
	older, err := s.older(l)
	return once(append(older, l.History...)), err
}

func (s *Store) older(l loop.State) ([]loop.Iteration, error) {
	err := ownfile.CheckFolder(s.places.Archive)
	var data []byte
	if err == nil {
		data, _, err = ownfile.Read(s.historyPath(l), 0)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return iterations(data), err
}

// historyPath is named after the moment at which the loop began, which nothing
// changes: neither another name of its record nor a move to another
// conversation, and a kill in the middle of these parts nothing.
func (s *Store) historyPath(l loop.State) string {
	return filepath.Join(s.places.Archive, stamp(l.StartedAt)+".history")
}

// iterations reads a line each. One that a killed writer left unfinished is
// passed over.
func iterations(data []byte) (found []loop.Iteration) {
	for line := range bytes.Lines(data) {
		var i loop.Iteration
		if json.Unmarshal(line, &i) == nil && !i.StartedAt.IsZero() {
			found = append(found, i)
		}
	}
	return found
}

// once drops doubles, which a kill between two files leaves. The later one
// counts, at the place of the first.
func once(list []loop.Iteration) []loop.Iteration {
	type name struct {
		number int
		began  int64
	}
	at := map[name]int{}
	kept := list[:0]
	for _, i := range list {
		n := name{i.Number, i.StartedAt.UnixNano()}
		if place, seen := at[n]; seen {
			kept[place] = i
			continue
		}
		at[n] = len(kept)
		kept = append(kept, i)
	}
	return kept
}

// putOlderBeside brings the iterations that do not fit into a loop's file into
// another one, and returns the loop without them. If that does not work they
// stay in its file: what is lost is room.
func (s *Store) putOlderBeside(l loop.State) (loop.State, error) {
	if len(l.History) <= loop.KeptHistory {
		return l, nil
	}
	older, rest := l.Older()
	lines, err := historyLines(older)
	if err == nil {
		err = ownfile.Folder(s.places.Archive)
	}
	if err == nil {
		_, err = ownfile.Append(s.historyPath(l), lines)
	}
	if err != nil {
		return l, err
	}
	return rest, nil
}

// historyLines begins each line with a newline too, so that an unfinished one
// before cannot swallow it.
func historyLines(list []loop.Iteration) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, i := range list {
		b.WriteByte('\n')
		if err := e.Encode(i); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
