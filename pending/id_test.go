package pending_test

import (
	"os"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// TestALoopKeepsItsOwnID: from the request on, through the claim, another chat, its
// end and a continue, also where a file has none: its author or an older version
// wrote it.
func TestALoopKeepsItsOwnID(t *testing.T) {
	for _, c := range []struct {
		name string
		ask  func(w world) (pending string)
	}{
		{"for a chat", func(w world) string { l := task("a"); l.ConversationID = me; w.put(l, ""); return me }},
		{"by hand for a chat", func(w world) string { w.file(me, seven("a"), minute); return me }},
		{"for the next chat, by hand", func(w world) string { w.file("1700000000000-7", seven("a"), minute); return "1700000000000-7" }},
		{"for the next chat, by an older version", func(w world) string {
			w.file("1700000000000-7", with(map[string]any{"created_at": "2026-01-01T00:00:00Z"}), 2*minute)
			return "1700000000000-7"
		}},
		{"in the legacy file", func(w world) string { w.file("legacy", seven("a"), minute); return "0-0" }},
		{"with a hostile id", func(w world) string { w.file(me, with(map[string]any{"id": "../x"}), minute); return me }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			id := w.item(c.ask(w)).State.ID
			if !loop.IsShortID(id) {
				t.Fatalf("got the id %q while it is pending", id)
			}
			store := state.New(w.places, time.Now)
			is := func(when, chat string, read func(string) (loop.State, error)) {
				t.Helper()
				if l, err := read(chat); err != nil || l.ID != id {
					t.Errorf("%s: got the id %q, %v, want %s", when, l.ID, err, id)
				}
			}
			_, err := w.box.Claim(w.context(), pending.Claimant{ID: me, Stopped: true})
			w.must(err)
			is("claimed", me, store.Read)
			w.must(store.Move(w.context(), me, other))
			is("moved", other, store.Read)
			_, _, err = store.Apply(w.context(), other, loop.Event{Kind: loop.EventBlocked, Text: "x"})
			w.must(err)
			is("ended", other, store.Archived)
			_, _, err = store.Apply(w.context(), other, loop.Event{Kind: loop.EventContinue})
			w.must(err)
			is("continued", other, store.Read)
		})
	}
}

func TestLoopsOfOneChatHaveIDsOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	now := w.now
	box := pending.New(w.places, state.New(w.places, time.Now), func() time.Time { return now })
	seen := map[string]bool{}
	for range 3 {
		now = now.Add(time.Millisecond)
		w.file(me, seven("the same task"), w.now.Sub(now))
		seen[w.item(me).State.ID] = true
		l := task("the same task")
		l.ConversationID = other
		path, _, err := box.Put(w.context(), l, "")
		w.must(err)
		seen[w.item(other).State.ID] = true
		w.must(os.Remove(path))
	}
	if len(seen) != 6 {
		t.Errorf("got the ids %v of six loops", seen)
	}
}

func TestAFileHasTheSameIDAfterItsRename(t *testing.T) {
	w := newWorld(t)
	w.file("1700000000000-7", seven("a"), minute)
	id := w.item("1700000000000-7").State.ID
	_, err := w.claim(pending.Claimant{ID: me, Stopped: true})
	w.must(err)
	if l, err := state.New(w.places, time.Now).Read(me); err != nil || l.ID != id {
		t.Errorf("got %q, %v, want %s: a claim may be killed after its rename", l.ID, err, id)
	}
}
