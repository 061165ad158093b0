package state_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

func TestRetentionSplits(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name      string
		retention state.Retention
		ages      []time.Duration
		gone      []time.Duration
	}{
		{"nothing there", state.Retention{Age: day, Count: 1}, nil, nil},
		{"no limits", state.Retention{}, []time.Duration{1000 * day, 0}, nil},
		{"as old as allowed", state.Retention{Age: day}, []time.Duration{day, day + 1}, []time.Duration{day + 1}},
		{"of a clock that was wrong", state.Retention{Age: day}, []time.Duration{-5 * day}, nil},
		{"the newest stay", state.Retention{Count: 2}, []time.Duration{3, 1, 2}, []time.Duration{3}},
		{"as many as allowed", state.Retention{Count: 3}, []time.Duration{3, 1, 2}, nil},
		{"old ones within the count", state.Retention{Age: day, Count: 9}, []time.Duration{2 * day, 1}, []time.Duration{2 * day}},
		{"both", state.Retention{Age: day, Count: 1}, []time.Duration{2 * day, 1, 2}, []time.Duration{2, 2 * day}},
	} {
		var all []state.Record
		for _, age := range tt.ages {
			all = append(all, state.Record{Ended: now.Add(-age)})
		}
		stay, gone := tt.retention.Split(all, now)
		var got []time.Duration
		for _, r := range gone {
			got = append(got, now.Sub(r.Ended))
		}
		if !slices.Equal(got, tt.gone) || len(stay)+len(gone) != len(all) {
			t.Errorf("%s: got %v removed and %d left, want %v", tt.name, got, len(stay), tt.gone)
		}
	}
}

// ended puts the record of a loop that ended so long ago into the archive.
func (w world) ended(name string, ago time.Duration) {
	w.Helper()
	at := w.clock.Add(-ago)
	w.write(w.record(name), with("build it", map[string]any{"status": "USER_STOPPED", "started_at": at.Add(-time.Hour), "ended_at": at}))
}

func (w world) historyOf(ended time.Duration) string {
	return filepath.Join(w.places.Archive, fmt.Sprint(w.clock.Add(-ended-time.Hour).UnixNano())+".history")
}

// prune removes all that a retention does not keep.
func (w world) prune(r state.Retention) (removed []string) {
	w.Helper()
	_, gone, err := w.store.Expired(r)
	w.must(err)
	for _, record := range gone {
		did, err := w.store.RemoveRecord(w.context(), record, nothingBeside)
		w.must(err)
		if did {
			removed = append(removed, record.Loop.ConversationID)
		}
	}
	return removed
}

// TestPruneKeepsWhatALoopInAnotherChatNeeds: the record in its old chat says where it
// is, and its history is its own, even if that record could not be written as it moved.
func TestPruneKeepsWhatALoopInAnotherChatNeeds(t *testing.T) {
	w := newWorld(t)
	w.write(w.record(me), with("build it", map[string]any{"status": "USER_STOPPED", "ended_at": w.clock.Add(-time.Hour), "moved_to": other}))
	if removed := w.prune(state.Retention{Age: time.Minute}); len(removed) > 0 {
		t.Errorf("got %q removed", removed)
	}
}

func TestPruneRemovesRecordsOfEndedLoopsWithTheirHistory(t *testing.T) {
	w := newWorld(t)
	const day = 24 * time.Hour
	w.ended("chat-old", 91*day)
	w.ended("chat-new", 89*day)
	w.ended("chat-new~1700000000000000000", 100*day)
	w.ended("unbound~1700000000000000000", 101*day)
	w.write(w.historyOf(100*day), "\n{}\n")
	w.write(w.historyOf(89*day), "\n{}\n")
	got := w.prune(state.Retention{Age: 90 * day, Count: 1000})
	if want := []string{"chat-old", "chat-new", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q removed, want %q", got, want)
	}
	for path, want := range map[string]bool{
		w.record("chat-old"): false, w.record("chat-new"): true, w.record("chat-new~1700000000000000000"): false,
		w.historyOf(100 * day): false, w.historyOf(89 * day): true,
	} {
		if got := w.exists(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

func TestPruneLeavesEverythingElse(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "it runs")
	w.stop(me)
	w.begun(other, "its file in /tmp was cleared away")
	w.stop(other)
	w.must(os.Remove(w.places.Live(other)))
	w.later(1000 * 24 * time.Hour)
	old := 500 * 24 * time.Hour
	w.ended("real", old)
	ended, err := os.ReadFile(w.record("real"))
	w.must(err)
	w.must(os.Remove(w.record("real")))
	outside := filepath.Join(w.places.Base, "outside.json")
	w.write(outside, string(ended))
	for name, content := range map[string]string{
		"$(calc)": string(ended), "a b": string(ended), "ü~1": string(ended), "~1": string(ended),
		"broken": "{", "newer": with("x", map[string]any{"version": 999, "status": "CANCELLED"}), "empty": "",
	} {
		w.write(w.record(name), content)
	}
	for _, name := range []string{".loop-mode-0123.json", ".session-limits.json", "notes.txt", "123.history", "chat.json.bak"} {
		w.write(filepath.Join(w.places.Archive, name), string(ended))
	}
	w.must(os.Mkdir(w.record("folder"), 0o700))
	before := w.names()
	if err := os.Symlink(outside, w.record("link")); err == nil {
		before = w.names()
	}
	if got := w.prune(state.Retention{Age: time.Hour, Count: 1}); got != nil {
		t.Errorf("got %q removed, want nothing", got)
	}
	if after := w.names(); !slices.Equal(after, before) || !w.exists(outside) {
		t.Errorf("got %q, want %q", after, before)
	}
}

// names are those of the archive's files.
func (w world) names() (names []string) {
	w.Helper()
	entries, err := os.ReadDir(w.places.Archive)
	w.must(err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestPruneLeavesALinkInPlaceOfAHistory(t *testing.T) {
	w := newWorld(t)
	w.ended("chat-old", time.Hour)
	mine := filepath.Join(w.places.Base, "mine")
	w.write(mine, "mine")
	if err := os.Symlink(mine, w.historyOf(time.Hour)); err != nil {
		t.Skip(err)
	}
	if got := w.prune(state.Retention{Age: time.Minute}); len(got) != 1 || !w.exists(mine) || !w.exists(w.historyOf(time.Hour)) {
		t.Errorf("got %q removed, want the record alone", got)
	}
}

// A loop that is continued while its record is being removed is either gone or goes
// on: never half of each.
func TestPruneAndContinueAtOnce(t *testing.T) {
	w := newWorld(t)
	for i := range 60 {
		id := fmt.Sprintf("chat-%d", i)
		w.ended(id, time.Hour)
		_, gone, err := w.store.Expired(state.Retention{Age: time.Minute})
		w.must(err)
		var group sync.WaitGroup
		var removed, again bool
		var failed, refused error
		for _, record := range gone {
			group.Go(func() { removed, failed = w.store.RemoveRecord(context.Background(), record, nothingBeside) })
		}
		var continued loop.State
		group.Go(func() {
			continued, _, refused = w.store.Apply(context.Background(), id, loop.Event{Kind: loop.EventContinue})
			again = refused == nil
		})
		group.Wait()
		w.must(failed)
		if removed == again || !again && !errors.Is(refused, fs.ErrNotExist) {
			t.Fatalf("got removed %v, continued %v (%v)", removed, again, refused)
		}
		if again && (continued.Status.Ended() || !w.exists(w.places.Live(id)) || !w.exists(w.record(id))) {
			t.Fatalf("got %s, want a live loop with its copy", continued.Status)
		}
		w.must(w.store.Drop(w.context(), id))
	}
}

func TestPruneTwiceAtOnceRemovesEachRecordOnce(t *testing.T) {
	w := newWorld(t)
	for i := range 50 {
		w.ended(fmt.Sprintf("chat-%d", i), time.Hour)
	}
	_, gone, err := w.store.Expired(state.Retention{Count: 10})
	w.must(err)
	var count [2]int
	var group sync.WaitGroup
	for n := range count {
		group.Go(func() {
			for _, record := range gone {
				if did, err := w.store.RemoveRecord(context.Background(), record, nothingBeside); err != nil {
					t.Error(err)
				} else if did {
					count[n]++
				}
			}
		})
	}
	group.Wait()
	if count[0]+count[1] != 40 || len(w.names()) != 10 {
		t.Errorf("got %v removed and %d left", count, len(w.names()))
	}
}

func nothingBeside(loop.State) error { return nil }
