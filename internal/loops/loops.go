// Package loops finds loops wherever they are: live, pending or in the archive.
// It is the only place that looks at all three. Which loop a user means, and what
// to print about it, is package cli's business.
package loops

import (
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Loops are all loops of a user.
type Loops struct {
	Store  *state.Store
	Box    *pending.Box
	places platform.Places
	now    func() time.Time
}

// New returns the loops in the given places.
func New(places platform.Places, now func() time.Time) *Loops {
	store := state.New(places, now)
	return &Loops{store, pending.New(places, store, now), places, now}
}

// Loop is a loop that is live or pending.
type Loop struct {
	ID      string     // of its conversation, or the name of its pending file
	State   loop.State // without its history; a pending one has the status Pending
	Pending bool
	// Interrupted means that only a copy in the archive is left of it.
	Interrupted bool
	Err         error        // why the file cannot be read; a live one then has no ID
	File        pending.Item // of a pending one
}

// Pending is the status of a loop that no chat has claimed.
const Pending loop.Status = "pending"

// IsUsable reports whether a loop can be read and, if it is pending, claimed.
func (l Loop) IsUsable() bool {
	return l.Err == nil && !(l.Pending && l.State.Status.Ended())
}

// Current returns the live loops, then the pending ones.
func (s *Loops) Current() ([]Loop, error) {
	var found []Loop
	live, problems := s.Store.Heads()
	for _, l := range live {
		found = append(found, Loop{ID: l.ConversationID, State: l})
	}
	for _, err := range problems {
		found = append(found, Loop{Err: err})
	}
	waiting, err := s.Pending()
	return append(found, waiting...), err
}

// LiveWithHistory returns the loops that chats and runs have, with their histories.
func (s *Loops) LiveWithHistory() (live []loop.State, problems []error) { return s.Store.List() }

// Ended returns the ended loops without their histories, newest last.
func (s *Loops) Ended() (ended []loop.State, problems []error) { return s.Store.EndedHeads() }

// Pending returns the loops that no chat has claimed, in the order of their names.
func (s *Loops) Pending() (found []Loop, err error) {
	items, err := s.Box.List()
	for _, i := range items {
		found = append(found, pendingLoop(i))
	}
	return found, err
}

func pendingLoop(i pending.Item) Loop {
	return Loop{ID: i.Name, State: asPending(i.State), Pending: true, Err: i.Err, File: i}
}

// Usable returns the current loops that can be read and claimed.
func (s *Loops) Usable() ([]Loop, error) {
	found, err := s.Current()
	return slices.DeleteFunc(found, func(l Loop) bool { return !l.IsUsable() }), err
}

// Runs returns the live loops of cursor-ralph run in a folder.
func (s *Loops) Runs(folder string) (runs []loop.State) {
	live, _ := s.Store.Heads() // a file that cannot be read is no run
	for _, l := range live {
		if l.Outer() && sameFolder(l.Workspace, folder) {
			runs = append(runs, l)
		}
	}
	return runs
}

func asPending(l loop.State) loop.State {
	if l.Status == loop.Running {
		l.Status = Pending
	}
	return l
}

// Find returns a loop that is live, pending or in the archive.
func (s *Loops) Find(id string) (loop.State, error) {
	l, err := s.Store.Read(id)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return l, Hinted(err)
	}
	waiting, err := s.Pending()
	if err != nil {
		return l, err
	}
	for _, w := range waiting {
		if w.ID == id {
			return w.State, w.Err
		}
	}
	return s.Store.Archived(id)
}

// Recorded returns a loop that is live or in the archive.
func (s *Loops) Recorded(id string) (loop.State, error) {
	l, err := s.Store.Read(id)
	if errors.Is(err, fs.ErrNotExist) {
		l, err = s.Store.Archived(id)
	}
	return l, err
}

// LastEnded returns the loop that ended last, of those that match.
func (s *Loops) LastEnded(match func(loop.State) bool) (loop.State, bool) {
	ended, _ := s.Store.EndedLoops() // doctor shows what cannot be read
	for _, l := range slices.Backward(ended) {
		if match(l) {
			return l, true
		}
	}
	return loop.State{}, false
}

// Complete returns the only id that begins with what was typed, otherwise what
// was typed.
func (s *Loops) Complete(typed string) string {
	if has, _ := s.Store.Has(typed); has || s.Store.HasRecord(typed) {
		return typed
	}
	if found := s.Beginning(typed); len(found) == 1 {
		return found[0].ID
	}
	return typed
}

// Beginning returns the current loops whose ids begin with what was typed, or
// otherwise the ended ones.
func (s *Loops) Beginning(typed string) []Loop {
	found, _ := s.Current() // doctor shows what cannot be read
	other := func(l Loop) bool { return l.ID == "" || !strings.HasPrefix(l.ID, typed) && l.State.ShortID() != typed }
	if found = slices.DeleteFunc(found, other); len(found) > 0 {
		return found
	}
	ended, _ := s.Store.EndedHeads()
	for _, l := range ended {
		found = append(found, Loop{ID: l.ConversationID, State: l})
	}
	found = slices.DeleteFunc(found, other)
	slices.SortStableFunc(found, func(a, b Loop) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(found, func(a, b Loop) bool { return a.ID == b.ID }) // a chat may have several records
}

// Nearest returns the ids of the usable loops of the nearest folder that has any,
// from here upwards: Cursor may have opened any of them.
func Nearest(here string, list []Loop) (ids []string, dir string) {
	for dir = here; ; dir = filepath.Dir(dir) {
		for _, l := range list {
			if l.IsUsable() && sameFolder(l.State.Workspace, dir) {
				ids = append(ids, l.ID)
			}
		}
		if len(ids) > 0 || dir == filepath.Dir(dir) {
			return ids, dir
		}
	}
}

func sameFolder(a, b string) bool { return platform.SameFolder(runtime.GOOS, a, b) }

// Hinted adds a hint to the error of a state file that a newer version wrote.
func Hinted(err error) error {
	if errors.Is(err, loop.ErrNewer) {
		return hint.Add(err, "update cursor-ralph; the file was left as it is")
	}
	return err
}
