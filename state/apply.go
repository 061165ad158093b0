package state

import (
	"bytes"
	"context"
	"errors"
	"io/fs"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// ArchiveError says that an event happened and is saved, but not in the
// archive, which is written again at the next one.
type ArchiveError struct{ Err error }

// Error returns what went wrong.
func (e *ArchiveError) Error() string { return "archive: " + e.Err.Error() }

// Unwrap returns what went wrong.
func (e *ArchiveError) Unwrap() error { return e.Err }

// Apply lets an event happen to the loop of a conversation. For a conversation
// without a live loop it returns an fs.ErrNotExist; but an event that may concern
// an ended loop, such as EventContinue, finds it in the archive.
func (s *Store) Apply(ctx context.Context, id string, e loop.Event) (l loop.State, a loop.Action, err error) {
	err = s.locked(ctx, id, func() (err error) {
		l, a, err = s.apply(id, e)
		return err
	})
	return l, a, err
}

func (s *Store) apply(id string, e loop.Event) (loop.State, loop.Action, error) {
	old, was, err := s.load(id)
	live := err == nil
	if errors.Is(err, fs.ErrNotExist) && concernsEnded(e.Kind) {
		old, was, err = s.archived(id)
		if err == nil && e.Kind == loop.EventCancel && old.Status.Ended() {
			err = fs.ErrNotExist // nothing is there to cancel
		}
	}
	if err == nil && e.LoopID != "" && e.LoopID != old.ID {
		err = fs.ErrNotExist // another loop has begun there
	}
	if err != nil {
		return loop.State{}, loop.Action{}, err
	}
	if old, err = s.prepare(id, old, live, &e); err != nil {
		return old, loop.Action{}, err
	}
	next, action := loop.Decide(old, e, s.now())
	switch action.Kind {
	case loop.AwaitText, loop.AskTyping, loop.AskWords: // nothing was decided
		return old, action, nil
	case loop.Refuse:
		if !live && e.Kind != loop.EventTyped {
			return old, action, nil
		}
	}
	next, err = s.save(id, next, was, live, e.Kind)
	if next.Status.Ended() && (live || !old.Status.Ended()) {
		s.ended(next)
	}
	return next, action, err
}

func concernsEnded(k loop.EventKind) bool {
	switch k {
	case loop.EventContinue, loop.EventCancel, loop.EventLateText, loop.EventVerified, loop.EventTyped, loop.EventNameTokens, loop.EventInjected, loop.EventSpoken, loop.EventAfterEnd:
		return true
	}
	return false
}

// prepare begins a loop that is new here, and puts into the event what the files
// beside the loop's hold.
func (s *Store) prepare(id string, l loop.State, live bool, e *loop.Event) (loop.State, error) {
	l.ConversationID = id
	if live {
		l = s.compare(id, l, e)
	}
	if live && l.StartedAt.IsZero() {
		if err := s.rotate(id); err != nil {
			return l, err
		}
	}
	if !live && (e.Kind == loop.EventContinue || e.Kind == loop.EventLateText) {
		if err := s.dropJournal(id); err != nil { // left by a hook that found the loop live
			return l, err
		}
	}
	e.NoVerifier = l.Verifying.ID != "" && !s.verifierLives(id)
	return s.withTurn(id, l, e)
}

// compare looks into the record of a live loop for what somebody may have edited in
// its file: the gates of a promise, and the command of --on-end. It does so before every
// new record. Nearly always nothing has to be parsed.
func (s *Store) compare(id string, l loop.State, e *loop.Event) loop.State {
	decides := e.Kind == loop.EventStop || e.Kind == loop.EventContinue
	data, _, err := ownfile.Read(s.places.Record(id), 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return l
	}
	has := func(rule string) bool { return bytes.Contains(data, []byte(`"`+rule+`": `)) }
	gated := has("verify") || has("tasks") || has("review") || has("verify_was") || has("gates_were")
	tells := has("on_end") || l.OnEnd != ""
	if !gated && !tells {
		return l
	}
	was, same, goesOn := recordOf(data, l)
	if decides && (same || goesOn && !l.StartedAt.IsZero()) { // one that began at another time was edited
		e.VerifyWas, e.GatesWere = loop.VerifyWas(was, l), loop.GatesWere(was, l)
	}
	if l.Status.Ended() || !same && l.StartedAt.IsZero() {
		return l // it is over, or begins here
	}
	return withOnEnd(was, same, l)
}

// withOnEnd puts back the command that a loop was requested with. One that came into
// its file later does not run: nobody has asked for it. A loop with one has a record
// from the start, so without a record there was none.
func withOnEnd(was loop.State, same bool, l loop.State) loop.State {
	if !same {
		was.OnEnd = ""
	}
	l.EndTold = false // it goes on
	if was.OnEnd != l.OnEnd {
		l.OnEnd = was.OnEnd
		l.Notices = append(l.Notices, "The command of --on-end was changed in the loop's file, and the change does not count. Tell the user.")
	}
	return l
}

// recordOf parses the record of a live loop, and reports whether it is that loop's, and
// whether it is of a loop that goes on here. A file that was written anew, with the
// public fields alone, is the same loop if it has the same task.
func recordOf(data []byte, l loop.State) (was loop.State, same, goesOn bool) {
	was, err := loop.Parse(data)
	requested := !l.CreatedAt.IsZero() && !l.CreatedAt.Equal(was.CreatedAt) // anew, with the same task
	same = was.StartedAt.Equal(l.StartedAt) || l.StartedAt.IsZero() && was.SameTask(l) && !requested
	goesOn = err == nil && !was.Status.Ended() && was.MovedTo == ""
	return was, same && goesOn, goesOn
}

// save writes a loop where it now belongs: among the live ones, with a copy in
// the archive at every stop, or in the archive alone. What has not changed is
// not written.
func (s *Store) save(id string, l loop.State, was []byte, live bool, kind loop.EventKind) (loop.State, error) {
	var owed error
	if kind == loop.EventStop || kind == loop.EventContinue {
		l, owed = s.putOlderBeside(l)
	}
	data, err := l.Encode()
	if err != nil {
		return l, err
	}
	changed := string(data) != string(was)
	if !live && (l.Status.Ended() || kind != loop.EventContinue) {
		if !changed {
			return l, nil
		}
		return l, s.writeRecord(id, data)
	}
	if changed || !live {
		if err := ownfile.Replace(s.places.Live(id), s.places.Scratch(), data, false); err != nil {
			return l, err
		}
	}
	switch {
	case l.Status.Ended():
		l, err = s.retire(id, l)
	case kind == loop.EventStop || kind == loop.EventContinue:
		err = s.writeRecord(id, data)
	}
	if err = errors.Join(owed, err); err != nil {
		err = &ArchiveError{err}
	}
	return l, err
}

// retire moves an ended loop from the live ones to the archive. After a kill in
// the middle the live file says that it has ended, and retire is done again.
func (s *Store) retire(id string, l loop.State) (loop.State, error) {
	l.ConversationID = id
	if l.StartedAt.IsZero() { // it never ran here, and must not hide one that did
		if err := s.rotate(id); err != nil {
			return l, err
		}
	}
	if err := s.saveRecord(id, l); err != nil {
		return l, err
	}
	if err := ownfile.Remove(s.places.Live(id)); err != nil {
		return l, err
	}
	l, err := s.withLastWords(id, l)
	return l, errors.Join(err, s.dropJournal(id))
}

// withLastWords applies a text that another hook recorded while this one ended the
// loop. Once the live file is gone nobody records any more.
func (s *Store) withLastWords(id string, l loop.State) (loop.State, error) {
	e := loop.Event{Kind: loop.EventStop}
	l, err := s.withTurn(id, l, &e)
	if err != nil || len(e.Turn.Texts) == 0 {
		return l, err
	}
	e.Kind, e.Generation = loop.EventLateText, l.LastStop.Generation
	next, _ := loop.Decide(l, e, s.now())
	if next.Status == l.Status && !next.Verifying.Late {
		return l, nil
	}
	return next, s.saveRecord(id, next)
}
