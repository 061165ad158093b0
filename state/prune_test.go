package state_test

import (
	"os"
	"path/filepath"
	"slices"
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

// ended writes the record of a loop that ended so long ago.
func (w world) ended(id, conversation string, ago time.Duration) {
	w.Helper()
	at := w.clock.Add(-ago)
	w.write(w.places.Record(id), with("build it", map[string]any{"conversation_id": conversation, "status": "USER_STOPPED", "started_at": at.Add(-time.Hour), "ended_at": at}))
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

func TestPruneRemovesRecordsOfEndedLoops(t *testing.T) {
	w := newWorld(t)
	const day = 24 * time.Hour
	w.ended("k1111", "chat-old", 91*day)
	w.ended("k2222", "chat-new", 89*day)
	w.ended("k3333", "chat-new", 100*day)
	w.ended("k4444", "1700000000000-1", 101*day)
	got := w.prune(state.Retention{Age: 90 * day, Count: 1000})
	if want := []string{"chat-old", "chat-new", "1700000000000-1"}; !slices.Equal(got, want) {
		t.Errorf("got %q removed, want %q", got, want)
	}
	for id, want := range map[string]bool{"k1111": false, "k2222": true, "k3333": false, "k4444": false} {
		if got := w.exists(w.places.Record(id)); got != want {
			t.Errorf("%s: got %v, want %v", id, got, want)
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
	w.ended("k1111", "real", old)
	ended, err := os.ReadFile(w.places.Record("k1111"))
	w.must(err)
	w.must(os.Remove(w.places.Record("k1111")))
	outside := filepath.Join(w.places.Base, "outside.json")
	w.write(outside, string(ended))
	for name, content := range map[string]string{
		"$(calc)": string(ended), "a b": string(ended), "ü~1": string(ended), "~1": string(ended),
		"kbad1": "{", "knew1": with("x", map[string]any{"version": 999, "status": "CANCELLED"}), "kvvd1": "",
	} {
		w.write(w.places.Record(name), content)
	}
	for _, name := range []string{".loop-mode-0123.json", ".editors.json", "notes.txt", "chat.json.bak"} {
		w.write(filepath.Join(w.places.Records(), name), string(ended))
	}
	w.must(os.Mkdir(w.places.Record("kdrr1"), 0o700))
	before := w.names()
	if err := os.Symlink(outside, w.places.Record("knnk1")); err == nil {
		before = w.names()
	}
	if got := w.prune(state.Retention{Age: time.Hour, Count: 1}); got != nil {
		t.Errorf("got %q removed, want nothing", got)
	}
	if after := w.names(); !slices.Equal(after, before) || !w.exists(outside) {
		t.Errorf("got %q, want %q", after, before)
	}
}

// names are those of the files among the records.
func (w world) names() (names []string) {
	w.Helper()
	entries, err := os.ReadDir(w.places.Records())
	w.must(err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func nothingBeside(loop.State) error { return nil }
