package loops

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// AmbiguousError says that an id fits several loops.
type AmbiguousError struct {
	Typed string
	Fit   []Loop // without histories
}

// Error says how many they are.
func (e *AmbiguousError) Error() string { return fmt.Sprintf("%s fits %d loops", e.Typed, len(e.Fit)) }

// Resolve returns the loop that the user means: by its own id, by that of its chat or
// run, by the name of its pending file, or by the beginning of one of these. The
// current loops go before those of the archive. The error is an AmbiguousError, or
// wraps fs.ErrNotExist.
func (s *Loops) Resolve(typed string) (Loop, error) {
	found, err := Loop{}, error(fs.ErrNotExist)
	if !loop.IsShortID(typed) { // all of a short id's form are looked for first
		found, err = s.At(typed)
	}
	if !errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*state.MovedError)) {
		return found, err
	}
	switch fit := s.fitting(typed); len(fit) {
	case 0:
		return found, err
	case 1:
		return s.Whole(fit[0])
	default:
		return found, &AmbiguousError{typed, fit}
	}
}

// At returns the loop of a conversation or run, or the pending one of this name,
// without a look at any other: the live one, else the pending one, else the newest of
// the archive.
func (s *Loops) At(id string) (Loop, error) {
	l, err := s.Store.Read(id)
	if !errors.Is(err, fs.ErrNotExist) {
		return Loop{ID: id, State: l}, Hinted(err)
	}
	if i := s.Box.Item(id); !errors.Is(i.Err, fs.ErrNotExist) {
		return pendingLoop(i), i.Err
	}
	l, err = s.Store.Recorded(id)
	return Loop{ID: id, State: l, Record: true}, err
}

// fitting returns the loops that an id may mean. The archive is read only if no
// current loop fits.
func (s *Loops) fitting(typed string) []Loop {
	current, _ := s.Current() // doctor shows what cannot be read
	current = slices.DeleteFunc(current, func(l Loop) bool { return l.ID == "" })
	kept := sync.OnceValue(func() []Loop {
		found, _ := s.Kept(time.Time{}) // as above
		return found
	})
	isOwn := func(l Loop) bool { return l.State.ShortID() == typed }
	isWhole := func(l Loop) bool { return l.ID == typed && !l.Older }
	chats := map[string]bool{}
	begins := func(l Loop) bool {
		again := chats[l.ID] // the live one of a chat goes before what waits there
		ofChat := strings.HasPrefix(l.ID, typed) && !l.Older
		chats[l.ID] = again || ofChat
		return strings.HasPrefix(l.State.ShortID(), typed) || ofChat && !again
	}
	fits := []func(Loop) bool{begins}
	if loop.IsShortID(typed) {
		fits = []func(Loop) bool{isOwn, isWhole, begins}
	}
	for _, fits := range fits {
		if fit := only(current, fits); len(fit) > 0 {
			return fit
		}
		if fit := only(kept(), fits); len(fit) > 0 {
			return fit
		}
	}
	return nil
}

// only returns the loops that fit, each once: a kill may leave two records of one.
func only(list []Loop, fits func(Loop) bool) (fit []Loop) {
	for _, l := range list {
		if !fits(l) {
			continue
		}
		same := func(o Loop) bool {
			return o.ID == l.ID && o.State.ShortID() == l.State.ShortID() && o.Pending == l.Pending
		}
		fit = append(slices.DeleteFunc(fit, same), l)
	}
	return fit
}

// Whole reads a loop with its history.
func (s *Loops) Whole(l Loop) (Loop, error) {
	var err error
	switch {
	case l.Pending:
		err = l.Err
	case l.Record:
		l.State, err = s.Store.Record(l.State.ID, true)
	default:
		l.State, err = s.Store.Read(l.ID)
	}
	return l, err
}
