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

// ending writes the files of a loop that ended, as they are after so many
// steps of retire.
func (w world) ending(steps int) {
	w.Helper()
	w.begun(me, "a")
	w.stop(me)
	w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool, ID: "1"}))
	copied := w.files()["archive/"+me+".json"]
	w.apply(me, loop.Event{Kind: loop.EventBlocked, Text: "no key"})
	record, err := os.ReadFile(w.record(me))
	w.must(err)
	if steps < 3 {
		w.must(os.WriteFile(w.places.Journal(me), []byte("\n{\"e\":\"tool\",\"id\":\"1\"}\n"), 0o600))
	}
	if steps < 2 {
		w.live(me, string(record))
	}
	if steps < 1 {
		w.write(w.record(me), copied)
	}
}

func TestKillWhileALoopEnds(t *testing.T) {
	after := []string{"the live file was marked", "the record was written", "the live file was removed", "the journal was removed"}
	for steps, what := range after {
		for name, next := range map[string]func(w world){
			"a stop": func(w world) {
				if _, _, err := w.store.Apply(w.context(), me, w.stopEvent()); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("got %v, want fs.ErrNotExist", err)
				}
			},
			"a cancel": func(w world) {
				_, _, err := w.store.Apply(w.context(), me, loop.Event{Kind: loop.EventCancel})
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("got %v, want fs.ErrNotExist", err)
				}
			},
			"a claim": func(w world) {
				w.begun(me, "next")
				if l, _ := w.stop(me); l.Prompt != "next" || l.Iterations != 1 || l.ToolCalls != 0 {
					t.Errorf("got %q at iteration %d with %d tool calls, want a fresh loop", l.Prompt, l.Iterations, l.ToolCalls)
				}
				w.once("next")
			},
			"a claim of nothing": func(w world) {
				err := w.store.Claim(w.context(), me, func(string) error { return fs.ErrNotExist })
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("got %v, want fs.ErrNotExist", err)
				}
			},
			"a continue": func(w world) {
				if l, _ := w.apply(me, loop.Event{Kind: loop.EventContinue}); l.Status != loop.Running || l.Iterations != 1 {
					t.Errorf("got %s at iteration %d, want it to run again", l.Status, l.Iterations)
				}
			},
			"another loop that comes here": func(w world) {
				w.begun(other, "b")
				w.must(w.store.Move(w.context(), other, me))
				if got := w.read(me).Prompt; got != "b" {
					t.Errorf("got %q, want the loop that came", got)
				}
				w.once("b")
			},
		} {
			t.Run("after "+what+": "+name, func(t *testing.T) {
				w := newWorld(t)
				w.ending(steps)
				w.once("a")
				if _, err := w.store.Read(me); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("read: got %v, want no live loop", err)
				}
				if live, problems := w.store.List(); len(live)+len(problems) != 0 {
					t.Errorf("list: got %v and %v, want none", live, problems)
				}
				next(w)
				w.once("a")
			})
		}
	}
}

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
