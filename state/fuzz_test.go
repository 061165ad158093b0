package state_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// FuzzLive asserts that whatever a live file and a journal hold, a stop ends in
// one loop that is live or archived, in a file moved aside byte for byte, or in
// one of a newer version left as it is.
func FuzzLive(f *testing.F) {
	journal := `{"e":"tool","id":"t1","tool":"Shell"}` + "\n" + `{"e":"text","text":"<promise>COMPLETE</promise>"}` + "\n"
	for _, file := range []string{
		seven("do it"), "", "{", "null", "[]", `{"prompt":"x","version":9}`, `{"prompt":"x","status":"CANCELLED"}`, with("x", map[string]any{"stop": true}),
		with("x", map[string]any{"iterations": 19, "mine": []int{1}}), with("x", map[string]any{"journal": map[string]any{"of": me, "offset": 1 << 40}}), with("x", map[string]any{"status": "odd"}),
		with("x", map[string]any{"history": []map[string]any{{"iteration": 1}}, "started_at": "2026-01-01T00:00:00Z"}), with("x", map[string]any{"verify": "true", "min_tool_calls": 0}),
	} {
		f.Add([]byte(file), []byte(journal), uint8(0))
		f.Add([]byte(file), []byte(journal[:40]), uint8(1))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, file, journal []byte, which uint8) {
		w := sameWorld(t, dir)
		w.live(me, string(file))
		w.write(w.places.Journal(me), string(journal))
		before, bad := loop.Parse(file)
		e := w.stopEvent()
		e.Status = []loop.StopStatus{loop.Completed, loop.Aborted, loop.Errored}[which%3]
		l, _, err := w.store.Apply(t.Context(), me, e)
		live, _ := os.ReadFile(w.places.Live(me))
		var record []byte
		if r, err := w.store.Recorded(me); err == nil {
			record, _ = os.ReadFile(w.places.Record(r.ID))
		}
		aside, _ := filepath.Glob(w.places.Live(me) + ".corrupt-*")
		var corrupt *state.CorruptError
		switch {
		case errors.Is(bad, loop.ErrNewer):
			if err == nil || !bytes.Equal(live, file) || record != nil {
				t.Errorf("a newer file: got %v and %q", err, live)
			}
		case bad != nil:
			if content, _ := os.ReadFile(strings.Join(aside, "")); !errors.As(err, &corrupt) || len(aside) != 1 || !bytes.Equal(content, file) || live != nil {
				t.Errorf("a broken file: got %v, %q with %q", err, aside, content)
			}
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			t.Errorf("got %v", err)
		case err == nil:
			saved, wrong := loop.Parse(live)
			kept, bad := loop.Parse(record)
			if wrong != nil || bad != nil || saved.Status != l.Status || kept.Status != l.Status || saved.Prompt != before.Prompt || saved.Iterations < before.Iterations || len(saved.Unknown) != len(before.Unknown) {
				t.Errorf("got %.300v, %v, %v, of %q", saved, wrong, bad, file)
			}
		case !before.Status.Ended() || record == nil || live != nil:
			t.Errorf("got %v of %q", err, file)
		}
	})
}

// FuzzMode asserts that whatever the file of a workspace's loop mode holds, it
// is on for no longer than it may, and a loop that it makes is within bounds.
func FuzzMode(f *testing.F) {
	for _, file := range []string{
		"", "{", `{"workspace":"/w","since":"2026-03-01T11:00:00Z","until":"2026-03-02T11:00:00Z","loop":{"max_iterations":5}}`,
		`{"workspace":"/w","since":"2026-03-01T11:00:00Z","until":"9999-01-01T00:00:00Z","loop":{"max_iterations":-5,"completion_promise":"","iterations":99999999,"status":"odd","stop":true}}`,
		`{"workspace":"/x","until":"2026-03-02T11:00:00Z"}`, `{"workspace":"/w","loop":{"version":9}}`, `{"loop":null}`,
	} {
		f.Add([]byte(file))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, file []byte) {
		w := sameWorld(t, dir)
		w.write(w.places.LoopMode("/w"), string(file))
		m, err := w.store.Mode("/w")
		if err == nil {
			if m.On(*w.clock) && m.On(w.clock.Add(2*state.MaxMode)) {
				t.Errorf("got %+v, on for longer than it may", m)
			}
			data, err := m.Loop.InLoopMode("the message", "g1").Encode()
			l, bad := loop.Parse(data)
			if err != nil || bad != nil || l.Prompt != "the message" || l.MaxIterations < 1 || l.MaxIterations > loop.MaxMaxIterations || l.CompletionPromise == "" {
				t.Errorf("got %+v, %v, %v", l, err, bad)
			}
		}
	})
}

// sameWorld is a world in folders that were used before, cleared.
func sameWorld(t *testing.T, dir string) world {
	t.Helper()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w := world{T: t, places: loopfiles.Places(t, filepath.Join(dir, "tmp"), filepath.Join(dir, "archive")), clock: &now}
	w.must(os.RemoveAll(dir))
	w.must(os.MkdirAll(w.places.Base, 0o700))
	w.must(os.MkdirAll(w.places.Archive, 0o700))
	w.store = state.New(w.places, func() time.Time { return *w.clock })
	return w
}
