package loops

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// folder is a folder with files of loops, for one who looks again and again.
type folder struct {
	list    func() ([]string, error)
	path    func(name string) string
	journal func(name string) string                      // nil if there are none
	read    func(name string, history bool) (Loop, error) // without an ID if there is no loop to show in the file

	names []string
	files map[string]*file
	dir   string      // if every change of a file changes the folder; else empty
	seen  fs.FileInfo // of dir
	at    time.Time   // of the last look at every file
}

// file is what is kept of a file.
type file struct {
	info     fs.FileInfo
	appended time.Time // to its journal
	at       time.Time // of the look
	read     bool
	err      error  // of reading
	key      string // of the loop in it
}

const (
	// settled is how old a change must be before times are trusted: two changes may
	// fall into one tick of the file system's clock.
	settled = 100 * time.Millisecond
	// rechecked is how often files are looked at though their folder has not changed.
	rechecked = 10 * time.Second
)

// look brings names and files up to date.
func (f *folder) look(now time.Time) error {
	dir, _ := os.Stat(f.dir) // without one every look is at every file
	if dir != nil && f.seen != nil && f.seen.ModTime().Equal(dir.ModTime()) && f.at.Sub(dir.ModTime()).Abs() > settled && now.Sub(f.at).Abs() < rechecked {
		return nil
	}
	names, err := f.list()
	if err != nil {
		return err
	}
	f.seen, f.at = dir, now
	files := make(map[string]*file, len(names))
	f.names = f.names[:0]
	for _, name := range names {
		if file := f.check(name, now); file != nil {
			files[name], f.names = file, append(f.names, name)
		}
	}
	f.files = files
	return nil
}

// check looks whether a file has changed. It returns nil for one that is gone.
func (f *folder) check(name string, at time.Time) *file {
	was := f.files[name]
	if was == nil {
		was = &file{}
	}
	now := file{at: at}
	info, err := ownfile.Check(f.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil { // reading says what is wrong
		was.forget()
		return was
	}
	now.info = info
	if f.journal != nil {
		if journal, err := ownfile.Check(f.journal(name)); err == nil {
			now.appended = journal.ModTime()
		}
	}
	if !was.isAs(now) {
		now.key = was.key
		*was = now
	}
	return was
}

// isAs reports whether a file is still the one that was read, and was old enough
// then.
func (f *file) isAs(now file) bool {
	return f.read && f.info != nil && os.SameFile(f.info, now.info) &&
		f.info.Size() == now.info.Size() && f.info.ModTime().Equal(now.info.ModTime()) && f.appended.Equal(now.appended) &&
		f.at.Sub(f.info.ModTime()).Abs() > settled
}

// forget has the file read again.
func (f *file) forget() { f.read = false }

// changed is when the file or its journal changed.
func (f *file) changed() time.Time {
	if f.info == nil || f.appended.After(f.info.ModTime()) {
		return f.appended
	}
	return f.info.ModTime()
}

// pendingFolder has the loops that no chat has claimed.
func (s *Loops) pendingFolder() *folder {
	return &folder{list: s.Box.Names, path: s.Box.Path, read: func(name string, _ bool) (Loop, error) {
		l := pendingLoop(s.Box.Item(name))
		return l, l.Err
	}}
}

// liveFolder has the loops of chats and runs. One that has ended is among the records.
func (s *Loops) liveFolder() *folder {
	return &folder{list: s.Store.IDs, path: s.places.Live, journal: s.places.Journal, read: func(id string, history bool) (Loop, error) {
		l, err := s.Store.Live(id, history)
		if err == nil && l.Status.Ended() && !s.Store.HasEntered(id) {
			return Loop{}, nil
		}
		return Loop{ID: id, State: l}, err
	}}
}

// recordFolder has the loops that have ended, and those of which only a copy is left.
func (s *Loops) recordFolder() *folder {
	f := &folder{dir: s.places.Records(), path: s.places.Record, list: s.Store.RecordIDs}
	f.read = func(id string, history bool) (Loop, error) {
		l, err := s.Store.Record(id, history)
		isLeft := !l.Status.Ended() && (!s.Store.IsLast(l) || !l.EventAt.IsZero() && s.now().Sub(l.EventAt) > rests)
		if err != nil || l.IsAsked() || isLeft {
			return Loop{}, err
		}
		return recorded(l), nil
	}
	return f
}
