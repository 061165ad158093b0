package state_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// onEnds is a store whose loop chat-1 was requested with a command, and the loops whose end it has reported.
func onEnds(t *testing.T, command string) (*state.Store, platform.Places, *[]loop.State) {
	t.Helper()
	dir := t.TempDir()
	places := loopfiles.Places(t, dir, filepath.Join(dir, "archive"))
	s, ended := state.New(places, time.Now), new([]loop.State)
	s.Ended = func(l loop.State) { *ended = append(*ended, l) }
	begin(t, s, command)
	return s, places, ended
}

// begin starts a loop with a command in chat-1.
func begin(t *testing.T, s *state.Store, command string) {
	t.Helper()
	l := loop.New()
	l.Prompt, l.OnEnd, l.CreatedAt = "make it green", command, time.Now()
	l = l.In("chat-1", time.Time{})
	err := s.Keep(l)
	err = errors.Join(err, s.Claim(t.Context(), "chat-1", func(live string) error {
		data, err := l.InTmp().Encode()
		return errors.Join(err, s.Enter("chat-1", l), os.WriteFile(live, data, 0o600))
	}))
	if err != nil {
		t.Fatal(err)
	}
}

func apply(t *testing.T, s *state.Store, e loop.Event) loop.State {
	t.Helper()
	l, _, err := s.Apply(t.Context(), "chat-1", e)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Of all that have seen an end one acts on it, and again after the next end.
func TestOneActsOnAnEnd(t *testing.T) {
	s, _, ended := onEnds(t, "good")
	l := apply(t, s, loop.Event{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Completed}})
	take := func() int32 {
		var first atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, ok, err := s.TakeEnd(context.Background(), "chat-1", l.ShortID()); err == nil && ok {
					first.Add(1)
				}
			})
		}
		all.Wait()
		return first.Load()
	}
	if got := take(); got != 0 {
		t.Errorf("got %d while it goes on", got)
	}
	if _, _, err := s.TakeEnd(t.Context(), "chat-1", l.ShortID()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v while it goes on", err)
	}
	apply(t, s, loop.Event{Kind: loop.EventCancel})
	if got := take(); got != 1 || len(*ended) != 1 {
		t.Errorf("got %d of 8, and %d ends, want one", got, len(*ended))
	}
	apply(t, s, loop.Event{Kind: loop.EventContinue, Continue: loop.Continue{Idle: true}})
	apply(t, s, loop.Event{Kind: loop.EventCancel})
	if got := take(); got != 1 || len(*ended) != 2 {
		t.Errorf("got %d of 8 at the second end, and %d ends", got, len(*ended))
	}
}
