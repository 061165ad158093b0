package state_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

func TestACopyIsKeptAtEveryStop(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	for range 3 {
		w.stop(me)
		if diff := cmp.Diff(w.read(me), w.archived(me), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the copy differs (-live +copy):\n%s", diff)
		}
	}
	if ended, problems := w.endedLoops(); len(ended) != 0 || len(problems) != 0 {
		t.Errorf("got %v and %v, want no ended loop", ended, problems)
	}
}

func TestContinueRestoresALoopWhoseFolderWasCleared(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.stop(me)
	w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool, ID: "1"}))
	w.stop(me)
	w.must(os.RemoveAll(w.places.Base))
	w.must(os.Mkdir(w.places.Base, 0o700))
	if _, _, err := w.store.Apply(w.context(), me, w.stopEvent()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a stop: got %v, want fs.ErrNotExist", err)
	}
	l, action := w.apply(me, loop.Event{Kind: loop.EventContinue})
	if l.Iterations != 2 || l.ToolCalls != 1 || action.Text == "" {
		t.Errorf("got iteration %d with %d tool calls and %q, want it as it was", l.Iterations, l.ToolCalls, action.Text)
	}
	w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool, ID: "2"}))
	if l, _ := w.stop(me); l.Iterations != 3 || l.ToolCalls != 2 {
		t.Errorf("got iteration %d with %d tool calls, want it to go on", l.Iterations, l.ToolCalls)
	}
	w.once("a")
}

func TestAnEndedLoopIsInTheArchiveAlone(t *testing.T) {
	for _, e := range []loop.Event{
		{Kind: loop.EventCancel}, {Kind: loop.EventBlocked, Text: "no key"}, {Kind: loop.EventReplace},
		{Kind: loop.EventStop, Stop: loop.Stop{Status: loop.Aborted}},
	} {
		w := newWorld(t)
		w.begun(me, "a")
		w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool, ID: "1"}))
		l, _ := w.apply(me, e)
		if !l.Status.Ended() {
			t.Fatalf("%s: got %s", e.Kind, l.Status)
		}
		if w.exists(w.places.Live(me)) || w.exists(w.places.Journal(me)) {
			t.Errorf("%s: the live file or the journal is still there", e.Kind)
		}
		if got := w.archived(me); got.Status != l.Status || got.ConversationID != me {
			t.Errorf("%s: got %s of %s in the archive, want %s", e.Kind, got.Status, got.ConversationID, l.Status)
		}
		if ended, problems := w.endedLoops(); len(ended) != 1 || len(problems) != 0 {
			t.Errorf("%s: got %d records and %v, want one", e.Kind, len(ended), problems)
		}
		if has, err := w.store.Has(me); has || err != nil || !w.store.HasRecord(me) {
			t.Errorf("%s: got a live loop: %v, %v, recorded: %v", e.Kind, has, err, w.store.HasRecord(me))
		}
	}
}

func TestContinueRevivesALoopFromTheArchive(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.stop(me)
	w.apply(me, loop.Event{Kind: loop.EventBlocked, Text: "no key"})
	l, action := w.apply(me, loop.Event{Kind: loop.EventContinue})
	if l.Status != loop.Running || action.Kind != loop.Followup || w.read(me).Iterations != 1 {
		t.Errorf("got %s and %q, want it to run", l.Status, action.Kind)
	}
	if got := w.archived(me).Status; got != loop.Running {
		t.Errorf("got %s in the archive, want the copy of a running loop", got)
	}
	w.once("a")
}

func TestContinueThatIsRefusedChangesNothing(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.apply(me, loop.Event{Kind: loop.EventReplace})
	before := w.files()
	if _, action := w.apply(me, loop.Event{Kind: loop.EventContinue}); action.Kind != loop.Refuse {
		t.Errorf("got %q, want a refusal", action.Kind)
	}
	if diff := cmp.Diff(before, w.files()); diff != "" {
		t.Errorf("got other files (-before +after):\n%s", diff)
	}
}

func TestOlderRecordsAreKept(t *testing.T) {
	w := newWorld(t)
	for i := range 4 { // all at one time of the clock
		w.begun(me, fmt.Sprint("task ", i))
		w.apply(me, loop.Event{Kind: loop.EventCancel})
	}
	ended, problems := w.endedLoops()
	if len(problems) != 0 {
		t.Error(problems)
	}
	var got []string
	for _, l := range ended {
		got = append(got, l.Prompt)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"task 0", "task 1", "task 2", "task 3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := w.archived(me).Prompt; got != "task 3" {
		t.Errorf("got %q as the newest, want the last one", got)
	}
}

func TestRecordsAreInTheOrderOfTheirEnd(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"b", "c", "a"} {
		w.begun(id, "of "+id)
		w.later(time.Hour)
		w.apply(id, loop.Event{Kind: loop.EventCancel})
	}
	w.write(w.record("broken"), "{")
	w.write(w.record(".new-1"), "{")
	w.write(filepath.Join(w.places.Archive, "notes.txt"), "{")
	ended, problems := w.endedLoops()
	var got []string
	for _, l := range ended {
		got = append(got, l.Prompt)
	}
	if want := []string{"of b", "of c", "of a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(problems) != 1 {
		t.Errorf("got the problems %v, want that of the broken record", problems)
	}
}

func cancelled(task, id string, at time.Time) loop.State {
	l := loop.New()
	l.Prompt, l.ConversationID, l.Status, l.EndedAt = task, id, loop.Cancelled, at
	return l
}

// TestWithID finds a record that we wrote, and one by hand or of an older version.
func TestWithID(t *testing.T) {
	w := newWorld(t)
	for name, fields := range map[string]map[string]any{
		me: {"id": "k7f2m"}, me + "~1": {"id": "k1111"}, other: {"id": "k2222"}, "old": {}, "moved": {"id": "k3333", "moved_to": other},
	} {
		l, err := loop.Parse([]byte(with("build it", fields)))
		w.must(err)
		l.Status, l.EndedAt, l.StartedAt, l.ConversationID = loop.UserStopped, *w.clock, *w.clock, name
		data, err := l.Encode()
		w.must(err)
		w.write(w.record(name), string(data))
	}
	w.write(w.record("hand"), with("build it", map[string]any{"id": "k4444", "status": "BLOCKED"}))
	old, err := w.store.Record("old", false)
	w.must(err)
	for id, want := range map[string]string{"k7f2m": me, "k2222": other, old.ID: "old", "k4444": "hand", "k1111": "", "k3333": "", "k9999": ""} {
		if l, err := w.store.WithID(id); l.ConversationID != want || (err == nil) != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", id, l.ConversationID, err, want)
		}
	}
}

func TestPut(t *testing.T) {
	w := newWorld(t)
	w.must(w.store.Put(w.context(), cancelled("a", me, *w.clock)))
	if got := w.archived(me); got.Prompt != "a" || got.Status != loop.Cancelled {
		t.Errorf("got %+v", got)
	}
	w.must(w.store.Put(w.context(), cancelled("b", me, *w.clock)))
	w.must(w.store.Put(w.context(), cancelled("c", "", *w.clock)))
	w.must(w.store.Put(w.context(), cancelled("d", "", *w.clock)))
	if got := w.archived(me).Prompt; got != "a" {
		t.Errorf("got %q as the newest, want the record that was there", got)
	}
	for _, task := range []string{"a", "b", "c", "d"} {
		w.once(task)
	}
}

// TestPutOnceMore: a killed cancel is done again.
func TestPutBesideARecordThatCannotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("needs an ordinary user, whom permissions bind")
	}
	w := newWorld(t)
	w.write(w.record(me), seven("a"))
	w.must(os.Chmod(w.record(me), 0))
	if err := w.store.Put(w.context(), cancelled("b", me, *w.clock)); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want it reported", err)
	}
	w.must(os.Chmod(w.record(me), 0o600))
	if running, over := w.count("b"); running+over != 0 {
		t.Error("got a record under another name")
	}
}

func TestPutOnceMore(t *testing.T) {
	for _, id := range []string{me, ""} {
		w := newWorld(t)
		w.must(w.store.Put(w.context(), cancelled("first", id, *w.clock)))
		w.must(w.store.Put(w.context(), cancelled("second", id, *w.clock)))
		before := w.files()
		w.later(time.Second)
		w.must(w.store.Put(w.context(), cancelled("first", id, w.clock.Add(-time.Second))))
		w.must(w.store.Put(w.context(), cancelled("second", id, w.clock.Add(-time.Second))))
		if diff := cmp.Diff(before, w.files()); diff != "" {
			t.Errorf("got other files (-before +after):\n%s", diff)
		}
	}
}

// TestPutBesideALoopThatRuns: the running loop's next copy must not take the
// place of the record.
func TestPutBesideALoopThatRuns(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "running")
	w.must(w.store.Put(w.context(), cancelled("second", me, *w.clock)))
	w.stop(me)
	w.once("running")
	w.once("second")
	w.apply(me, loop.Event{Kind: loop.EventCancel})
	w.once("running")
	w.once("second")
}

// TestTextsAfterTheEndAreNotWritten: they come with every answer of the agent
// in a chat that once had a loop.
func TestTextsAfterTheEndAreNotWritten(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.apply(me, loop.Event{Kind: loop.EventCancel})
	before, err := os.Stat(w.record(me))
	w.must(err)
	w.later(time.Hour)
	w.apply(me, loop.Event{Kind: loop.EventLateText, Turn: loop.Turn{Texts: []string{"hello"}}})
	after, err := os.Stat(w.record(me))
	w.must(err)
	if !os.SameFile(before, after) {
		t.Error("the record was written again, unchanged")
	}
}

func TestMove(t *testing.T) {
	w := newWorld(t)
	w.begun(other, "the last one there")
	w.stop(other)
	w.apply(other, loop.Event{Kind: loop.EventCancel})
	w.begun(me, "a")
	w.must(w.store.AddToJournal(me, loop.Record{Kind: loop.RecordTool, ID: "1"}))
	w.stop(me)
	w.must(w.store.AddToJournal(other, loop.Record{Kind: loop.RecordText, Text: "<promise>COMPLETE</promise>"}))
	w.must(w.store.Move(w.context(), me, other))
	if has, err := w.store.Has(me); has || err != nil {
		t.Errorf("got a loop where it was: %v, %v", has, err)
	}
	if l := w.read(other); l.Prompt != "a" || l.Iterations != 1 || l.ToolCalls != 1 {
		t.Errorf("got %q at iteration %d with %d tool calls, want it as it was", l.Prompt, l.Iterations, l.ToolCalls)
	}
	var moved *state.MovedError
	if _, err := w.store.Archived(me); !errors.As(err, &moved) || moved.To != other || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want where it went", err)
	}
	if _, _, err := w.store.Apply(w.context(), me, loop.Event{Kind: loop.EventContinue}); !errors.As(err, &moved) {
		t.Errorf("continue: got %v, want where it went", err)
	}
	w.must(w.store.AddToJournal(other, loop.Record{Kind: loop.RecordTool, ID: "2"}))
	if l, _ := w.stop(other); l.Iterations != 2 || l.ToolCalls != 2 || l.Status != loop.Running {
		t.Errorf("got iteration %d with %d tool calls and %s, want it to go on", l.Iterations, l.ToolCalls, l.Status)
	}
	w.once("a")
	w.once("the last one there")
	w.begun(me, "next")
	w.stop(me)
	if got := w.archived(me).Prompt; got != "next" {
		t.Errorf("got %q, want a new loop where the old one was", got)
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

// TestArchiveThatCannotBeWrittenLosesNothing: the record of an ended loop is
// owed until it is written, and no other loop takes its place meanwhile.
func TestArchiveThatCannotBeWrittenLosesNothing(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.write(w.places.Archive, "a file where the folder should be")
	if _, _, err := w.store.Apply(w.context(), me, loop.Event{Kind: loop.EventCancel}); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("cancel: got %v, want what went wrong", err)
	}
	w.once("a")
	err := w.store.Claim(w.context(), me, func(string) error { t.Error("claimed over it"); return nil })
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("claim: got %v, want what went wrong", err)
	}
	w.live(other, seven("b"))
	if err := w.store.Move(w.context(), other, me); err == nil {
		t.Error("move: got no error")
	}
	w.once("a")
	w.once("b")
	w.must(os.Remove(w.places.Archive))
	w.begun(me, "next")
	if got := w.read(me).Prompt; got != "next" {
		t.Errorf("got %q, want the next loop", got)
	}
	w.once("a")
	w.once("b")
}

// TestStopWhoseCopyFailsIsCounted: what is live is what counts.
func TestStopWhoseCopyFailsIsCounted(t *testing.T) {
	w := newWorld(t)
	w.begun(me, "a")
	w.write(w.places.Archive, "a file where the folder should be")
	var later *state.ArchiveError
	_, action, err := w.store.Apply(w.context(), me, w.stopEvent())
	if !errors.As(err, &later) || action.Kind != loop.Followup {
		t.Errorf("got %v and %q, want an error of the archive, and what was decided", err, action.Kind)
	}
	if got := w.read(me).Iterations; got != 1 {
		t.Errorf("got iteration %d, want 1", got)
	}
	w.must(os.Remove(w.places.Archive))
	if l, _ := w.stop(me); l.Iterations != 2 || w.archived(me).Iterations != 2 {
		t.Errorf("got iteration %d, want it to go on", l.Iterations)
	}
}
