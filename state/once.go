package state

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Our hook may be installed in two places. Then each event reaches two processes, which must decide it once.

// noted is a line about an event: that a hook has begun with it, or what it answers.
type noted struct {
	Event string `json:"event"` // a hash of its bytes
	By    int    `json:"by"`    // the process
	Entry
	At     time.Time       `json:"at"`
	Over   bool            `json:"over,omitempty"`
	Answer json.RawMessage `json:"answer,omitempty"`
}

// Entry is what is known of the entry in a program's settings that calls the hook. Each entry gets each event once.
type Entry struct {
	Name   string `json:"entry,omitempty"`  // empty if it is not known
	Shared bool   `json:"shared,omitempty"` // others may have the same name
}

const (
	deciding   = 5 * time.Second // whoever has no answer by then was killed, or asks the gates
	keptAnswer = 16 << 10        // bytes of an answer; the copy of a longer one gets none
	readEvents = 64 << 10        // bytes of what is known of events: hundreds of them
	mostEvents = 1 << 20         // then a new file begins
)

// Once has an event decided, unless another process has done so or is about to: then it returns the same answer, or none
// while that is still being decided. Two that begin within loop.CopyWindow have one event; what comes again after that, and
// after the answer, is another one. Two entries whose names differ have one event, though the second begins seconds later on a
// busy machine; an entry whose name is its own never has one event twice. An error is one of the files: the event was decided
// without them.
func (s *Store) Once(event []byte, pid int, entry Entry, decide func() json.RawMessage) (answer json.RawMessage, err error) {
	me := noted{Event: loop.HashEvent(event), By: pid, Entry: entry, At: s.now()}
	if err := s.note(me); err != nil {
		return decide(), err
	}
	known, err := s.events()
	if err != nil {
		return decide(), err
	}
	if first, ok := me.copied(known); ok {
		return first.Answer, nil
	}
	me.Answer = decide()
	answer = me.Answer
	if me.At, me.Over = s.now(), true; len(answer) > keptAnswer {
		me.Answer = nil
	}
	return answer, s.note(me)
}

// copied returns the end of the event, if another process was the first to begin with it.
func (e noted) copied(known []noted) (end noted, isCopy bool) {
	var first noted // of the hooks that began with it, the last one that was no copy
	var had []Entry // those that called it, and those of its copies
	for _, k := range known {
		switch {
		case k.Event != e.Event:
		case k.Over:
			if k.By == first.By {
				end = k
			}
		case first.hasCopy(k, end, slices.Contains(had, k.Entry)):
			isCopy, had = isCopy || k.is(e), append(had, k.Entry)
		default:
			first, end, had = k, noted{}, []Entry{k.Entry}
		}
	}
	return end, isCopy
}

// hasCopy reports whether a hook began with the event whose first hook e is, and which has this end, if any; again, if its
// entry has had the event.
func (e noted) hasCopy(k, end noted, again bool) bool {
	since := k.At.Sub(e.At).Abs()
	switch {
	case e.Event == "" || again && k.Name != "" && !k.Shared:
		return false
	case !again && k.Name != "" && e.Name != "" && since < deciding:
		return true
	}
	return since < loop.CopyWindow || !end.Over && since < deciding || end.Over && k.At.Before(end.At)
}

func (e noted) is(k noted) bool { return e.By == k.By && e.At.Equal(k.At) }

func (s *Store) note(e noted) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	size, err := ownfile.Append(s.places.Events(), line)
	if errors.Is(err, fs.ErrNotExist) {
		if err = ownfile.Folder(s.places.Archive); err == nil {
			size, err = ownfile.Append(s.places.Events(), line)
		}
	}
	if err == nil && size > mostEvents {
		err = ownfile.Rename(s.places.Events(), s.places.Events()+".1")
	}
	return err
}

// events returns the last ones, the oldest first.
func (s *Store) events() (all []noted, err error) {
	for _, path := range []string{s.places.Events() + ".1", s.places.Events()} {
		info, err := ownfile.Check(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		data, _, err := ownfile.ReadPart(path, max(0, info.Size()-readEvents), readEvents+mostEvents)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(data) {
			var e noted
			if json.Unmarshal(line, &e) == nil {
				all = append(all, e)
			}
		}
	}
	return all, nil
}
