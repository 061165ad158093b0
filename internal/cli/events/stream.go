package events

import (
	"encoding/json"
	"hash/fnv"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/loops"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
)

// The types of lines.
const (
	changed = "loop"
	removed = "removed"
	ready   = "ready"
	alive   = "alive"
)

type line struct {
	Schema  int             `json:"schema"`
	Type    string          `json:"type"`
	Cursor  string          `json:"cursor"`
	Resumed *bool           `json:"resumed,omitempty"` // of ready
	ID      string          `json:"id,omitempty"`      // of removed
	Loop    json.RawMessage `json:"loop,omitempty"`
	History json.RawMessage `json:"history,omitempty"`
}

// stream is what is known of the loops that were printed.
type stream struct {
	env     *cli.Env
	changes *loops.Changes
	history bool
	folders []string
	here    map[string]bool // by workspace
	window  time.Duration   // loops that ended before it are not printed at the start
	cursor  cursor          // of the last look that was printed whole
	shown   map[string]shown
	held    *line     // the last of a look, which gets the cursor of that look
	printed time.Time // when the last line was
	err     error     // of printing
}

func newStream(e *cli.Env, window time.Duration) *stream {
	s := &stream{env: e, history: e.IsSet("history"), window: window, here: map[string]bool{}}
	s.folders, _ = e.Flags.GetStringArray("folder")
	s.forget()
	return s
}

func (s *stream) forget() {
	s.changes, s.shown, s.cursor = s.env.Loops.Changes(), map[string]shown{}, cursor{}
}

// start prints the loops there are, or those that have changed since the cursor.
func (s *stream) start(after string) error {
	since, known := parseCursor(after)
	resumed := known && s.resume(since)
	if !resumed {
		s.forget()
	}
	s.look(s.print)
	s.write(line{Type: ready, Resumed: &resumed})
	return s.err
}

// resume looks without printing. It reports whether no loop is gone since the
// cursor; then the next look prints those that may have changed: their files have, or
// they stand otherwise now than such a file stood then.
func (s *stream) resume(since cursor) bool {
	if since.window != s.window || s.env.Now().Before(since.At) {
		return false
	}
	var again []string
	s.look(func(c loops.Change) {
		now := shownOf(c.State, c.At)
		now.hash = hashOf(s.lineOf(c, s.env.View(c.State, c.IsInterrupted())))
		then := view.Of(c.State, view.Facts{Now: since.At, StallAfter: s.env.Loops.StallAfter})
		if c.At.After(since.At.Add(-clockTick)) || now.hash != hashOf(s.lineOf(c, then)) {
			again = append(again, c.Key)
			now.hash = 0
		}
		s.shown[c.Key] = now
	})
	for _, key := range again {
		s.changes.Again(key)
	}
	s.cursor = since
	return since.sumOf(s.shown) == since.sum
}

// clockTick is how far the time of a file may be behind the clock.
const clockTick = 100 * time.Millisecond

// cursorEvery is how old the cursor gets while nothing changes.
const cursorEvery = 10 * time.Second

// look visits what has changed, and prints the last line.
func (s *stream) look(visit func(loops.Change)) {
	now := cursor{At: s.env.Now(), window: s.window}
	s.changes.Poll(visit) // doctor shows what cannot be read
	if s.held != nil || now.At.Sub(s.cursor.At) >= cursorEvery {
		now.sum = now.sumOf(s.shown)
		s.cursor = now
	}
	s.hold(nil)
}

// print prints a change, if the reader sees a difference.
func (s *stream) print(c loops.Change) {
	was, known := s.shown[c.Key]
	if c.Gone {
		delete(s.shown, c.Key)
		if known {
			s.hold(&line{Type: removed, ID: c.State.ID})
		}
		return
	}
	now := shownOf(c.State, c.At)
	if !known && now.endedBefore(s.env.Now().Add(-s.window)) {
		return
	}
	l := s.lineOf(c, s.env.View(c.State, c.IsInterrupted()))
	now.hash = hashOf(l)
	s.shown[c.Key] = now
	if now.hash != was.hash {
		s.hold(&l)
	}
}

func (s *stream) lineOf(c loops.Change, object view.Loop) line {
	l := line{Type: changed}
	if len(s.folders) > 0 {
		here := s.isHere(object.Workspace)
		object.Here = &here
	}
	l.Loop, s.err = encoded(object, s.err)
	if s.history {
		whole, _ := c.Whole()
		l.History, s.err = encoded(view.Iterations(whole.State.History), s.err)
	}
	return l
}

// isHere reports whether a workspace is one of the reader's folders, or one is in the other.
func (s *stream) isHere(workspace string) bool {
	here, known := s.here[workspace]
	if !known {
		here = workspace != "" && slices.ContainsFunc(s.folders, func(f string) bool { return loops.Within(f, workspace) || loops.Within(workspace, f) })
		s.here[workspace] = here
	}
	return here
}

func encoded(v any, err error) (json.RawMessage, error) {
	data, failed := json.Marshal(v) // which writes < as a code, so that no promise can be read in it
	if err == nil {
		err = failed
	}
	return data, err
}

func hashOf(l line) uint64 {
	h := fnv.New64a()
	h.Write(l.Loop)
	h.Write(l.History)
	return max(h.Sum64(), 1)
}

// hold prints the line that was held: a reader that comes back with its cursor must
// get this one too.
func (s *stream) hold(l *line) {
	if s.held != nil {
		s.write(*s.held)
	}
	s.held = l
}

func (s *stream) write(l line) {
	l.Schema, l.Cursor = view.Schema, s.cursor.String()
	if s.err == nil {
		s.err = s.env.JSONLine(l)
	}
	s.printed = s.env.Now()
}
