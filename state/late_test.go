package state_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// A text that came while its loop was ended by a limit: its promise counts, unless
// something would have to be run for it.
func TestThePromiseOfLastWords(t *testing.T) {
	for verify, want := range map[string]loop.Status{"": loop.PromiseAccepted, "true": loop.MaxIterations} {
		w := newWorld(t)
		loopfiles.Ask(t, w.places, "c1", "k7f2m", map[string]any{"verify": verify})
		w.must(w.store.Claim(w.context(), "c1", func(live string) error {
			return os.WriteFile(live, []byte(with("task", map[string]any{"min_tool_calls": 0, "max_iterations": 1})), 0o600)
		}))
		e := w.stopEvent()
		ended, _ := loop.Decide(w.read("c1"), e, *w.clock)
		data, err := ended.Encode()
		w.must(err)
		w.write(w.record("c1"), string(data)) // killed before it has left its chat
		w.must(w.store.AddToJournal("c1", loop.Record{Kind: loop.RecordText, Generation: e.Generation, At: *w.clock, Text: "<promise>COMPLETE</promise>"}))
		if _, _, err = w.store.Apply(w.context(), "c1", loop.Event{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want %v", err, fs.ErrNotExist)
		}
		if got := w.recorded("c1"); got.Status != want || (got.History[0].Refused == "") != (verify == "") {
			t.Errorf("verify %q: got %s, %+v", verify, got.Status, got.History[0])
		}
	}
}
