package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Reader lists the live loops of a store again and again, and reads only files
// whose time or size changed. The loops have no history.
type Reader struct {
	store *Store
	files map[string]fileRead
}

// fileRead is a loop's file and its journal when they were read, and the result.
type fileRead struct {
	found
	file         os.FileInfo
	appended, at time.Time
}

// NewReader returns a Reader that has read nothing yet.
func (s *Store) NewReader() *Reader { return &Reader{store: s} }

// settled is how old a change must be before times are trusted: two changes may
// fall into one tick of the file system's clock.
const settled = 100 * time.Millisecond

// Live returns the live loops, as List does.
func (r *Reader) Live() (live []loop.State, problems []error) {
	ids, err := r.store.IDs()
	if err != nil {
		return nil, []error{err}
	}
	files := map[string]fileRead{}
	for _, id := range ids {
		f := r.read(id)
		files[id] = f
		switch {
		case errors.Is(f.err, fs.ErrNotExist): // ended
		case f.err != nil:
			problems = append(problems, errors.Join(errors.New(filepath.Base(r.store.places.Live(id))), f.err))
		default:
			live = append(live, f.loop)
		}
	}
	r.files = files
	return live, problems
}

func (r *Reader) read(id string) (now fileRead) {
	info, err := ownfile.Check(r.store.places.Live(id))
	if err != nil {
		now.err = err
		return now
	}
	now.file, now.at = info, r.store.now()
	if journal, err := ownfile.Check(r.store.places.Journal(id)); err == nil {
		now.appended = journal.ModTime()
	}
	was, seen := r.files[id]
	if seen && was.isUnchanged(now) {
		return was
	}
	now.loop, now.err = r.store.read(id, loop.ParseHead)
	return now
}

// isUnchanged reports whether a file is still the one that was read, and was old
// enough then.
func (f fileRead) isUnchanged(now fileRead) bool {
	return f.file != nil && os.SameFile(f.file, now.file) &&
		f.file.Size() == now.file.Size() && f.file.ModTime().Equal(now.file.ModTime()) && f.appended.Equal(now.appended) &&
		f.at.Sub(f.file.ModTime()).Abs() > settled
}

// NewestEnded returns the loops that ended last, the newest first and at most so
// many: the newest record of each conversation in which Live found no loop. It
// opens only the newest files, as the archive may hold thousands.
func (r *Reader) NewestEnded(most int) (ended []loop.State, problems []error) {
	written := map[string]time.Time{}
	names, err := r.store.recordNames(func(entry fs.DirEntry) bool {
		id := strings.TrimSuffix(entry.Name(), ".json")
		f, read := r.files[id]
		info, err := entry.Info()
		if err != nil || loop.CheckID(id) != nil || read && !errors.Is(f.err, fs.ErrNotExist) {
			return false
		}
		written[id] = info.ModTime()
		return true
	})
	if err != nil {
		return nil, []error{err}
	}
	slices.SortFunc(names, func(a, b string) int { return written[b].Compare(written[a]) })
	for _, id := range names[:min(len(names), 3*most)] {
		if len(ended) == most {
			break
		}
		l, err := r.store.recordHead(id)
		switch {
		case errors.Is(err, fs.ErrNotExist): // just moved away
		case err != nil:
			problems = append(problems, err)
		case l.Status.Ended() && l.MovedTo == "":
			ended = append(ended, l)
		}
	}
	return ended, problems
}
