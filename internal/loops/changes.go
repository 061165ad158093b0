package loops

import (
	"strconv"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Changes looks at all loops again and again, and finds what has changed. It opens
// only files that are new or have changed, and keeps no loop: of ten thousand it
// keeps a few megabytes.
type Changes struct {
	folders []*folder // the first one that has a loop counts
	now     func() time.Time
	stall   time.Duration
	known   map[string]*known // by Change.Key
	looks   int
}

// Change is a loop that is new, that has changed or that is gone.
type Change struct {
	Loop
	Key string    // of the loop, wherever its file is
	At  time.Time // when its file or its journal changed
	// Whole reads it again, with its history.
	Whole func() (Loop, error)
	Gone  bool // nothing is left of it: State has its own id alone
}

// known is what is kept of a loop.
type known struct {
	id   string // its own
	file *file  // that holds it
	look int    // the last one that saw it
	turn time.Time
}

// Changes returns a reader of all loops, without their histories.
func (s *Loops) Changes() *Changes {
	return s.changes(s.pendingFolder(), s.liveFolder(), s.recordFolder())
}

// LiveChanges returns a reader of the loops that chats and runs have.
func (s *Loops) LiveChanges() *Changes { return s.changes(s.liveFolder()) }

func (s *Loops) changes(folders ...*folder) *Changes {
	return &Changes{folders: folders, now: s.now, stall: s.StallAfter, known: map[string]*known{}}
}

// Poll visits the loops that have changed since the last look, the first time all
// of them, then those that are gone. While a folder cannot be read no loop counts as
// gone. What lies there and is no loop is in problems.
func (c *Changes) Poll(visit func(Change)) (problems []error) {
	c.looks++
	complete := true
	for _, f := range c.folders {
		if err := f.look(c.now()); err != nil {
			problems, complete = append(problems, err), false
			continue
		}
		for _, name := range f.names {
			if err := c.see(f, name, visit); err != nil {
				problems = append(problems, err)
			}
		}
	}
	if complete {
		c.drop(visit)
	}
	return problems
}

// Again has the next look visit a loop, changed or not.
func (c *Changes) Again(key string) {
	if k := c.known[key]; k != nil {
		k.file.forget()
	}
}

// see looks at a file.
func (c *Changes) see(f *folder, name string, visit func(Change)) error {
	file := f.files[name]
	k := c.known[file.key]
	if file.read && (k == nil || c.isSeen(k, file)) { // of no loop, or of one that needs no other look
		return file.err
	}
	found, err := f.read(name, false)
	file.err, file.read = err, true
	key := ""
	if err == nil && found.ID != "" {
		key = keyOf(found.State)
	}
	if k != nil && k.file == file && key != file.key {
		k.look = -1 // there is another loop in the file
	}
	if file.key = key; key != "" {
		whole := func() (Loop, error) { return f.read(name, true) }
		c.meet(file, Change{Loop: found, Key: key, At: file.changed(), Whole: whole}, visit)
	}
	return err
}

// isSeen notes that a loop is still there, and reports whether nothing is new about it.
func (c *Changes) isSeen(k *known, file *file) bool {
	switch {
	case k.file == file:
		k.look = c.looks
		return k.turn.IsZero() || c.now().Before(k.turn)
	default:
		return k.look == c.looks // another file holds it
	}
}

// meet visits the loop of a file, unless another file holds it too.
func (c *Changes) meet(file *file, found Change, visit func(Change)) {
	k := c.known[file.key]
	switch {
	case k == nil:
		k = &known{id: found.State.ShortID()}
		c.known[file.key] = k
	case k.file != file && k.look == c.looks:
		return
	}
	k.file, k.look, k.turn = file, c.looks, turn(found.Loop, c.stall, c.now())
	visit(found)
}

// drop visits the loops that are not there any more. Of several folders it takes two
// looks to know: during the first a loop may have been on its way from one to another.
func (c *Changes) drop(visit func(Change)) {
	for key, k := range c.known {
		if k.look < c.looks-min(1, len(c.folders)-1) {
			delete(c.known, key)
			visit(Change{Loop: Loop{State: loop.State{ID: k.id}}, Key: key, Gone: true})
		}
	}
}

// keyOf tells loops apart that have one short id by chance.
func keyOf(l loop.State) string {
	return l.ShortID() + strconv.FormatInt(l.CreatedAt.UnixNano(), 36)
}

// runCheck is how often a look asks whether the process of a run is there, and whether an
// interrupted loop is still its chat's.
const runCheck = time.Second

// turn is when something else is to be said of a loop because time has passed, or another
// loop has begun in its chat; zero is never.
func turn(l Loop, stallAfter time.Duration, now time.Time) (next time.Time) {
	if (l.State.Outer() || l.Record) && !l.State.Status.Ended() {
		return now.Add(runCheck)
	}
	for _, at := range l.State.Moments(stallAfter) {
		if at.After(now) && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}
