package loops

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// TestSteerHitsNoOtherPendingLoop: another one may wait under its name now.
func TestSteerHitsNoOtherPendingLoop(t *testing.T) {
	w := everywhere(t)
	found, err := w.Resolve("p1111")
	w.must(err)
	w.put(found.File.Path, "v0000", "", Pending)
	if _, _, err := w.Steer(t.Context(), found, loop.Event{Kind: loop.EventCancel}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if l, err := w.Resolve("v0000"); err != nil || !l.IsForAnyChat() {
		t.Errorf("got %+v, %v, want the other one to wait", l, err)
	}
}

// TestAMovedLoopIsNoBeginning: its old id is not taken for the beginning of another.
func TestAMovedLoopIsNoBeginning(t *testing.T) {
	w := everywhere(t)
	w.put(w.places.Live("chat-1"), "v1111", "chat-1", loop.Running)
	w.put(w.places.Live("chat-12"), "v2222", "chat-12", loop.Running)
	w.put(filepath.Join(w.places.Archive, "chat-1.json"), "v1111", "chat-1", loop.Running)
	w.must(w.Store.Move(t.Context(), "chat-1", "chat-3"))
	var moved *state.MovedError
	if l, err := w.Resolve("chat-1"); !errors.As(err, &moved) || moved.To != "chat-3" {
		t.Errorf("got %s, %v, want where it is", l.ID, err)
	}
}

// TestRecallOfALoopWhoseCancelOvertookItsLine: another loop has begun in the chat since.
func TestRecallOfALoopWhoseCancelOvertookItsLine(t *testing.T) {
	w := everywhere(t)
	w.must(os.Remove(w.places.Live(chatA)))
	path := filepath.Join(w.places.Archive, chatA+"~2.json")
	data, err := os.ReadFile(path)
	w.must(err)
	l, err := loop.Parse(data)
	w.must(err)
	l.ContinueAt = time.Now().Add(-24 * time.Hour)
	data, err = l.Encode()
	w.must(err)
	w.must(os.WriteFile(path, data, 0o600))
	e := loop.Event{Kind: loop.EventContinue}
	if refused, err := w.Store.Recall(t.Context(), chatA, chatA+"~2", e); err != nil || refused.Kind != loop.Rest {
		t.Fatalf("got %+v, %v", refused, err)
	}
	if l, a, err := w.Store.Apply(t.Context(), chatA, e); err != nil || a.Kind != loop.Followup || l.ID != "w2222" {
		t.Errorf("got %s, %+v, %v, want a follow-up of w2222", l.ID, a, err)
	}
}

// TestAskAgainBesideAnotherLoop: a chat has one loop, and one that waits for it at most.
func TestAskAgainBesideAnotherLoop(t *testing.T) {
	for _, chat := range []string{chatA, "p0000"} {
		w := everywhere(t)
		path := filepath.Join(w.places.Archive, "q0000.json")
		w.put(path, "q1111", chat, loop.Cancelled)
		l := Loop{ID: chat, Record: "q0000"}
		var err error
		l.State, err = w.Store.Record("q0000", true)
		w.must(err)
		if chat == "p0000" {
			w.put(filepath.Join(w.places.Pending(), chat+".json"), "p2222", "", Pending)
		}
		if err := w.Box.Return(t.Context(), l.ID, l.Record, l.State); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: got %v, want fs.ErrExist", chat, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", chat, err)
		}
	}
}
