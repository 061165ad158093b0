package state_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// begunLong starts a loop that may run for long.
func (w world) begunLong(id, task string) {
	w.Helper()
	w.must(w.store.Claim(w.context(), id, func(live string) error {
		return os.WriteFile(live, []byte(with(task, map[string]any{"min_tool_calls": 0, "max_iterations": 1000})), 0o600)
	}))
}

func (w world) stops(id string, n int) {
	w.Helper()
	if early := n - 3; early > 10 { // written at once: each stop syncs a record to disk
		l := w.read(id)
		for range early {
			l, _ = loop.Decide(l, w.stopEvent(), *w.clock)
		}
		data, err := l.Encode()
		w.must(err)
		w.write(w.places.Live(id), string(data))
		n -= early
	}
	for range n {
		w.stop(id)
	}
}

// wantHistory checks how much of a loop's history its file has, and that all of
// it is there once and in order.
func (w world) wantHistory(l loop.State, kept, all int) {
	w.Helper()
	if len(l.History) != kept {
		w.Errorf("got %d iterations in the file, want %d", len(l.History), kept)
	}
	got, err := w.store.History(l)
	w.must(err)
	var numbers []string
	for _, i := range got {
		numbers = append(numbers, fmt.Sprint(i.Number))
		if i.EndedAt.Sub(i.StartedAt) <= 0 || i.Action == "" {
			w.Errorf("iteration %d: got %+v, want the whole record", i.Number, i)
		}
	}
	var want []string
	for n := range all {
		want = append(want, fmt.Sprint(n+1))
	}
	if diff := cmp.Diff(strings.Join(want, " "), strings.Join(numbers, " ")); diff != "" {
		w.Errorf("(-want +got):\n%s", diff)
	}
}

// beside returns the files that hold older iterations.
func (w world) beside() []string {
	w.Helper()
	found, err := filepath.Glob(filepath.Join(w.places.Archive, "*.history"))
	w.must(err)
	return found
}

func TestAllOfALongHistoryIsKept(t *testing.T) {
	w := newWorld(t)
	w.begunLong(me, "a")
	w.stops(me, loop.KeptHistory)
	if got := w.beside(); len(got) > 0 {
		t.Errorf("got %q, want no file while one has room for all", got)
	}
	w.wantHistory(w.read(me), 50, 50)
	w.stops(me, 70)
	w.wantHistory(w.read(me), 50, 120)
	w.wantHistory(w.archived(me), 50, 120)
	w.apply(me, loop.Event{Kind: loop.EventBlocked, Text: "no key"})
	w.wantHistory(w.archived(me), 50, 120)
	w.apply(me, loop.Event{Kind: loop.EventContinue})
	w.stops(me, 5)
	w.wantHistory(w.read(me), 50, 125)
	if ended, problems := w.endedLoops(); len(ended) != 0 || len(problems) != 0 {
		t.Errorf("got the records %v and %v, want none", ended, problems)
	}
}

// TestAHistoryThatALoopBringsIsPutAside: an older version, or a person, wrote it.
func TestAHistoryThatALoopBringsIsPutAside(t *testing.T) {
	w := newWorld(t)
	began := w.clock.Add(-time.Hour)
	var brought []loop.Iteration
	for n := range 60 {
		at := began.Add(time.Duration(n) * time.Second)
		brought = append(brought, loop.Iteration{Number: n + 1, StartedAt: at, EndedAt: at.Add(time.Second), Action: "followup"})
	}
	w.live(me, with("a", map[string]any{"started_at": began, "iterations": 60, "max_iterations": 100, "history": brought}))
	w.stop(me)
	w.wantHistory(w.read(me), 50, 61)
}

func TestHistoryWithATornLine(t *testing.T) {
	w := newWorld(t)
	w.begunLong(me, "a")
	w.stops(me, 60)
	path := w.beside()[0]
	whole, err := os.ReadFile(path)
	w.must(err)
	w.write(path, string(whole)+"[]\n\x00\n{}\nnull\n{\"iteration\":11,\"started_at\":\"2026-")
	w.stops(me, 2)
	w.wantHistory(w.read(me), 50, 62)
}

func TestOfDoublesTheLaterCounts(t *testing.T) {
	w := newWorld(t)
	w.begunLong(me, "a")
	w.stops(me, 60)
	l := w.read(me)
	all, err := w.store.History(l)
	w.must(err)
	again := all[3]
	again.Action = "later"
	line, err := json.Marshal(again)
	w.must(err)
	_, err = ownfile.Append(w.beside()[0], append(line, '\n'))
	w.must(err)
	w.wantHistory(l, 50, 60)
	if all, _ = w.store.History(l); all[3].Action != "later" {
		t.Errorf("got %q, want the later record", all[3].Action)
	}
}

func TestANewLoopHasAHistoryOfItsOwn(t *testing.T) {
	w := newWorld(t)
	w.begunLong(me, "a")
	w.stops(me, 55)
	w.apply(me, loop.Event{Kind: loop.EventCancel})
	w.later(time.Second)
	w.begunLong(me, "b")
	w.wantHistory(w.read(me), 0, 0)
	w.stops(me, 52)
	w.wantHistory(w.read(me), 50, 52)
	ended, problems := w.endedLoops()
	if len(ended) != 1 || len(problems) != 0 {
		t.Fatalf("got %d records and %v, want that of the first loop", len(ended), problems)
	}
	w.wantHistory(ended[0], 50, 55)
}

func TestAHistoryGoesWithItsLoopToAnotherConversation(t *testing.T) {
	w := newWorld(t)
	w.begunLong(other, "the last one there")
	w.stops(other, 51)
	w.apply(other, loop.Event{Kind: loop.EventCancel})
	w.begunLong(me, "a")
	w.stops(me, 53)
	w.must(w.store.Move(w.context(), me, other))
	w.wantHistory(w.read(other), 50, 53)
	w.stops(other, 2)
	w.wantHistory(w.read(other), 50, 55)
	w.begunLong(me, "next")
	w.stops(me, 1)
	w.wantHistory(w.read(me), 1, 1)
}

// TestHistoryThatIsNotOurs: what was decided holds, and nothing is lost but
// room.
func TestHistoryThatIsNotOurs(t *testing.T) {
	for name, hostile := range map[string]func(w world, path, elsewhere string) error{
		"a symbolic link": func(_ world, path, elsewhere string) error { return os.Symlink(elsewhere, path) },
		"a hard link":     func(_ world, path, elsewhere string) error { return os.Link(elsewhere, path) },
		"a folder":        func(_ world, path, _ string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.begunLong(me, "a")
			w.stops(me, 51)
			path, elsewhere := w.beside()[0], filepath.Join(w.places.Base, "elsewhere")
			first, err := os.ReadFile(path)
			w.must(err)
			w.must(os.Remove(path))
			w.write(elsewhere, "precious")
			w.must(hostile(w, path, elsewhere))
			for range 3 {
				w.refusesHistory()
			}
			if got, err := os.ReadFile(elsewhere); string(got) != "precious" {
				t.Errorf("got %q, %v: the file elsewhere was written", got, err)
			}
			w.must(os.Remove(path))
			w.write(path, string(first))
			w.stop(me)
			w.wantHistory(w.read(me), 50, 55)
		})
	}
}

// refusesHistory is a stop that is counted and answered, and that tells about
// the history's file.
func (w world) refusesHistory() {
	w.Helper()
	var later *state.ArchiveError
	l, action, err := w.store.Apply(w.context(), me, w.stopEvent())
	if !errors.As(err, &later) || action.Kind != loop.Followup {
		w.Errorf("got %v and %q, want an error of the archive, and what was decided", err, action.Kind)
	}
	if n := len(w.read(me).History); n <= loop.KeptHistory || len(w.archived(me).History) != n {
		w.Errorf("got %d iterations in the live file and %d in the record, want the one that has no other place", n, len(w.archived(me).History))
	}
	if _, err := w.store.History(l); err == nil {
		w.Error("history: got no error")
	}
	w.apply(me, loop.Event{Kind: loop.EventContext, Text: "use tabs"}) // asks nothing of the file
}

// TestAShortHistoryTouchesNoOtherFile: nearly all loops have one.
func TestAShortHistoryTouchesNoOtherFile(t *testing.T) {
	w := newWorld(t)
	w.begunLong(me, "a")
	w.stops(me, 3)
	before := w.files()
	w.stop(me)
	after := w.files()
	maps.DeleteFunc(after, func(name, _ string) bool { _, was := before[name]; return was })
	if len(after) > 0 {
		t.Errorf("got the new files %v, want none", after)
	}
}

// A text that came while its loop was ended by a limit: its promise waits for
// the verification, and is not lost.
func TestThePromiseOfLastWordsIsToBeVerified(t *testing.T) {
	for verify, want := range map[string]loop.Status{"": loop.PromiseAccepted, "true": loop.MaxIterations} {
		w := newWorld(t)
		w.must(w.store.Claim(w.context(), "c1", func(live string) error {
			return os.WriteFile(live, []byte(with("task", map[string]any{"min_tool_calls": 0, "max_iterations": 1, "verify": verify})), 0o600)
		}))
		e := w.stopEvent()
		ended, _ := loop.Decide(w.read("c1"), e, *w.clock)
		data, err := ended.Encode()
		w.must(err)
		w.live("c1", string(data)) // killed before it was archived
		w.must(w.store.AddToJournal("c1", loop.Record{Kind: loop.RecordText, Generation: e.Generation, At: *w.clock, Text: "<promise>COMPLETE</promise>"}))
		if _, _, err = w.store.Apply(w.context(), "c1", loop.Event{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want %v", err, fs.ErrNotExist)
		}
		if got := w.archived("c1"); got.Status != want || got.Verifying.Late != (verify != "") {
			t.Errorf("verify %q: got %s, verifying %+v", verify, got.Status, got.Verifying)
		}
	}
}
