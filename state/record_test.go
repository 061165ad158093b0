package state_test

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// TestWithID finds a loop wherever it is.
func TestWithID(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.ended("k1111", other, time.Hour)
	running := w.read(me).ID
	for id, want := range map[string]string{running: me, "k1111": other, "k9999": ""} {
		if l, err := w.store.WithID(id); l.ConversationID != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", id, l.ConversationID, err, want)
		}
	}
}

// Of the loops that a conversation had, the last one is found without a live file.
func TestTheLastLoopOfAConversation(t *testing.T) {
	w := newWorld(t)
	for id, ago := range map[string]time.Duration{"k1111": 3 * time.Hour, "k2222": time.Hour, "k3333": 2 * time.Hour} {
		w.ended(id, me, ago)
	}
	w.ended("k4444", other, 0)
	if got := w.recorded(me).ID; got != "k2222" {
		t.Errorf("got %s", got)
	}
	w.begun(me, "a")
	if got, want := w.recorded(me).ID, w.read(me).ID; got != want {
		t.Errorf("got %s, want the one that runs: %s", got, want)
	}
}

// What a live file says about an id is no proof: it never takes the place of a record.
func TestALiveFileTakesNoRecord(t *testing.T) {
	for name, fields := range map[string]map[string]any{
		"of another chat": {"conversation_id": other}, "with commands": {"conversation_id": me, "verify": "true", "status": "CANCELLED"},
	} {
		for _, status := range []string{"running", "CANCELLED"} {
			t.Run(name+" "+status, func(t *testing.T) {
				w := newWorld(t)
				fields["started_at"] = *w.clock
				w.write(w.places.Record("k7f2m"), with("the user's", fields))
				w.live(me, with("forged", map[string]any{"id": "k7f2m", "status": status, "started_at": *w.clock}))
				_, _, _ = w.store.Apply(w.context(), me, w.stopEvent())
				if l, err := w.store.Record("k7f2m", true); err != nil || l.Prompt != "the user's" || l.Iterations != 0 {
					t.Errorf("got %+v, %v", l.Contract, err)
				}
				if l := w.recorded(me); status == "running" && (l.Prompt != "forged" || l.ID == "k7f2m" || l.HasAny()) {
					t.Errorf("got %s: %+v", l.ID, l.Contract)
				}
			})
		}
	}
}

// The live file of a loop that has ended stays for a minute, and is no loop.
func TestTheLiveFileOfAnEndedLoop(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.stop(me)
	w.apply(me, loop.Event{Kind: loop.EventCancel})
	has := func() bool { has, err := w.store.Has(me); w.must(err); return has }
	if has() || !w.exists(w.places.Live(me)) || w.exists(w.places.Chat(me)) {
		t.Error("it counts as a loop, or is gone at once")
	}
	if _, err := w.store.Read(me); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	w.later(loop.AfterEnd + time.Second)
	if has() || w.exists(w.places.Live(me)) || w.exists(w.places.Journal(me)) {
		t.Error("it stays")
	}
	w.once("a")
}

func TestAClaimReplacesAnEndedLoop(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.apply(me, loop.Event{Kind: loop.EventCancel})
	w.begun(me, "b")
	w.once("a")
	if l := w.read(me); l.Prompt != "b" || w.recorded(me).ID != l.ID {
		t.Errorf("got %+v", l)
	}
}

func TestMoveThatIsRefused(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.stop(me)
	w.must(w.store.Move(w.context(), me, me))
	w.begun(other, "b")
	w.stop(other)
	before := w.files()
	if err := w.store.Move(w.context(), me, other); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want fs.ErrExist", err)
	}
	if err := w.store.Move(w.context(), "nobody", "nowhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
}

// A loop that has moved is found from the conversation that it left.
func TestMovedLoop(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.must(w.store.Move(w.context(), me, other))
	_, err := w.store.Recorded(me)
	if moved := (*state.MovedError)(nil); !errors.As(err, &moved) || moved.To != other || w.store.HasEntered(me) || !w.store.HasEntered(other) {
		t.Errorf("got %v", err)
	}
	w.once("a")
}
