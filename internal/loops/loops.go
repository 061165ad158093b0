// Package loops finds loops wherever they are: live, pending or in their records.
// It is the only place that looks at all three. What to print about them is package
// cli's business.
package loops

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// Loops are all loops of a user.
type Loops struct {
	Store      *state.Store
	Box        *pending.Box
	StallAfter time.Duration // the user's; zero for loop.StallAfter
	places     platform.Places
	now        func() time.Time
}

// New returns the loops in the given places.
func New(places platform.Places, now func() time.Time) *Loops {
	store := state.New(places, now)
	return &Loops{Store: store, Box: pending.New(places, store, now), places: places, now: now}
}

// Loop is a loop, and where it is.
type Loop struct {
	ID      string     // of its conversation, or the name of its pending file
	State   loop.State // a pending one has the status Pending; see Whole
	Pending bool
	Record  bool         // only its record has it: it is neither live nor pending
	Older   bool         // of a record: its conversation has had another loop since
	Err     error        // why the file cannot be read; a live one then has no ID
	File    pending.Item // of a pending one
}

// Pending is the status of a loop that no chat has claimed.
const Pending loop.Status = "pending"

// IsLive reports whether a chat or a run has the loop.
func (l Loop) IsLive() bool { return !l.Pending && !l.Record }

// IsInterrupted reports whether the loop has not ended and only its record has it:
// its file in /tmp is gone.
func (l Loop) IsInterrupted() bool { return l.Record && !l.State.Status.Ended() }

// IsForAnyChat reports whether the loop waits for any chat.
func (l Loop) IsForAnyChat() bool {
	return l.Pending && l.IsUsable() && l.State.ConversationID == ""
}

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

// rests is how long an interrupted loop is listed; All of all time has older ones.
const rests = 30 * 24 * time.Hour

// Unended returns the loops that have not ended, the interrupted ones first, all without
// histories.
func (s *Loops) Unended() ([]Loop, error) {
	all, err := s.All(s.now())
	return slices.DeleteFunc(all, func(l Loop) bool { return !l.IsUsable() || l.State.Status.Ended() }), err
}

// All returns the loops that ended since a moment or were interrupted, the newest
// last, then the current ones, all without histories. What cannot be read has an Err.
func (s *Loops) All(since time.Time) (all []Loop, err error) {
	written := since
	if rested := s.now().Add(-rests); rested.Before(written) {
		written = rested
	}
	kept, problems := s.Kept(written)
	for _, l := range kept {
		if l.IsInterrupted() && (!l.Older || since.IsZero()) || l.State.Status.Ended() && !l.State.EndedAt.Before(since) {
			all = append(all, l)
		}
	}
	for _, err := range problems {
		all = append(all, Loop{Err: err})
	}
	current, err := s.Current()
	return append(all, current...), err
}

// Kept returns the loops that only their records have, as they were written since a moment.
func (s *Loops) Kept(since time.Time) (kept []Loop, problems []error) {
	records, problems := s.Store.Records(since)
	newest := map[string]string{} // loops by their conversations
	for _, l := range records {   // the one that ended last is the last
		if l.Status.Ended() || newest[l.ConversationID] == "" {
			newest[l.ConversationID] = l.ID
		}
	}
	for _, l := range records {
		if !l.Status.Ended() && s.Store.IsLast(l) {
			newest[l.ConversationID] = l.ID
		}
	}
	for _, l := range records {
		if !l.Status.Ended() {
			if live, err := s.Store.Has(l.ConversationID); newest[l.ConversationID] == l.ID && (live || err != nil) {
				continue // it is the copy of that one
			}
		}
		found := recorded(l)
		found.Older = newest[l.ConversationID] != l.ID
		kept = append(kept, found)
	}
	return kept, problems
}

func recorded(l loop.State) Loop {
	return Loop{ID: cmp.Or(l.ConversationID, l.ID), State: l, Record: true}
}

// Pending returns the loops that no chat has claimed, in the order of their names.
func (s *Loops) Pending() (found []Loop, err error) {
	items, err := s.Box.List()
	for _, i := range items {
		found = append(found, pendingLoop(i))
	}
	return found, err
}

func pendingLoop(i pending.Item) Loop {
	if i.State.Status == loop.Running {
		i.State.Status = Pending
	}
	return Loop{ID: i.Name, State: i.State, Pending: true, Err: i.Err, File: i}
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

// Recorded returns the loop of a conversation, live or as its record has it.
func (s *Loops) Recorded(id string) (loop.State, error) {
	l, err := s.Store.Read(id)
	if errors.Is(err, fs.ErrNotExist) {
		l, err = s.Store.Recorded(id)
	}
	return l, err
}

// LastEnded returns the loop that ended last, of those that match.
func (s *Loops) LastEnded(match func(loop.State) bool) (Loop, bool) {
	kept, _ := s.Kept(time.Time{}) // doctor shows what cannot be read
	for _, l := range slices.Backward(kept) {
		if l.State.Status.Ended() && match(l.State) {
			l, err := s.Whole(l)
			return l, err == nil
		}
	}
	return Loop{}, false
}

// Nearest returns the usable loops of the nearest folder that has any, from here
// upwards: Cursor may have opened any of them.
func Nearest(here string, list []Loop) (near []Loop, dir string) {
	dir = here
	for _, l := range list {
		if !l.IsUsable() || !Within(here, l.State.Workspace) {
			continue
		}
		if len(near) > 0 && !Within(l.State.Workspace, dir) {
			continue // a nearer folder has one
		}
		if len(near) > 0 && !Within(dir, l.State.Workspace) {
			near = nil
		}
		near, dir = append(near, l), l.State.Workspace
	}
	return near, dir
}

// Within reports whether a folder is a workspace or is inside it, links resolved.
func Within(folder, workspace string) bool {
	return workspace != "" && (below(folder, workspace) || below(resolved(folder), resolved(workspace)))
}

func below(folder, workspace string) bool {
	for dir := folder; ; dir = filepath.Dir(dir) {
		if sameFolder(dir, workspace) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// resolved returns a folder without links, as it is named if it is gone.
func resolved(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	return folder
}

func sameFolder(a, b string) bool { return platform.SameFolder(runtime.GOOS, a, b) }

// Hinted adds a hint to the error of a state file that a newer version wrote.
func Hinted(err error) error {
	if errors.Is(err, loop.ErrNewer) {
		return hint.Add(err, "update cursor-ralph; the file was left as it is")
	}
	return err
}
