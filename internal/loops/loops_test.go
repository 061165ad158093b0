package loops

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

func TestLoopsAreFoundInAllPlaces(t *testing.T) {
	places := loopfiles.Places(t, t.TempDir(), t.TempDir())
	s := New(places, time.Now)
	l := loop.New()
	l.Prompt = "build it"
	l.ConversationID = "pending-1"
	if _, _, err := s.Put(t.Context(), l, ""); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(s.Store.Begin(t.Context(), "live-1", l), s.Store.Begin(t.Context(), "ended-1", l))
	if _, _, failed := s.Apply(t.Context(), "ended-1", loop.Event{Kind: loop.EventCancel}); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	for id, want := range map[string]loop.Status{"pending-1": Pending, "live-1": loop.Running, "ended-1": loop.Cancelled} {
		for _, typed := range []string{id, id[:3]} {
			if l, err := s.Resolve(typed); err != nil || l.State.Status != want || l.ID != id {
				t.Errorf("%s: got %s %s, %v, want %s", typed, l.ID, l.State.Status, err, want)
			}
		}
	}
	if _, err := s.Resolve("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v of an unknown id", err)
	}
}

func TestNearestSkipsWhatNoChatCanTake(t *testing.T) {
	at := func(id, folder string, change func(*Loop)) Loop {
		l := Loop{ID: id, State: loop.State{Workspace: folder}}
		change(&l)
		return l
	}
	list := []Loop{
		at("above", "/w", func(*Loop) {}),
		at("broken", "/w/repo", func(l *Loop) { l.Pending, l.Err = true, fs.ErrInvalid }),
		at("cancelled", "/w/repo", func(l *Loop) { l.Pending, l.State.Status = true, loop.Cancelled }),
	}
	if near, dir := Nearest("/w/repo/sub", list); len(near) != 1 || near[0].ID != "above" || dir != "/w" {
		t.Errorf("got %v in %s, want the loop above", near, dir)
	}
}
