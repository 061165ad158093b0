package state_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// A kill leaves the files as they were after one of the steps. Here the steps
// are done by hand; test/faults really kills.

// TestTextThatCameWhileALimitEndedTheLoop: the hook that saw it found the loop
// still live, and left it in the journal.
func TestTextThatCameWhileALimitEndedTheLoop(t *testing.T) {
	w := newWorld(t)
	w.live(me, with("a", map[string]any{"max_iterations": 1, "min_tool_calls": 0}))
	w.apply(me, w.stopEvent())
	record, err := os.ReadFile(w.record(me))
	w.must(err)
	if got := w.archived(me).Status; got != loop.MaxIterations {
		t.Fatalf("got %s, want the limit", got)
	}
	w.live(me, string(record)) // as it was before it was removed
	w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordText, Text: "<promise>COMPLETE</promise>"}))
	if _, _, err := w.store.Apply(w.context(), me, w.stopEvent()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
	if got := w.archived(me).Status; got != loop.PromiseAccepted {
		t.Errorf("got %s, want the promise", got)
	}
	if w.exists(w.places.Live(me)) || w.exists(w.places.Journal(me)) {
		t.Error("the live file or the journal is still there")
	}
}
