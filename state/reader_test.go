package state_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// old writes the live file of a loop as it was some time ago.
func (w world) old(id, content string, ago time.Duration) {
	w.Helper()
	w.live(id, content)
	w.age(w.places.Live(id), ago)
}

// same overwrites the live file of a loop in place.
func (w world) same(id, content string, ago time.Duration) {
	w.Helper()
	w.must(os.WriteFile(w.places.Live(id), []byte(content), 0o600))
	w.age(w.places.Live(id), ago)
}

func (w world) age(path string, ago time.Duration) {
	w.Helper()
	then := w.clock.Add(-ago)
	w.must(os.Chtimes(path, then, then))
}

func (w world) wantLoops(loops []loop.State, problems []error, want string) {
	w.Helper()
	var tasks []string
	for _, l := range loops {
		tasks = append(tasks, l.Prompt)
	}
	if got := strings.Join(tasks, " "); got != want || len(problems) > 0 {
		w.Errorf("got %q and the problems %v, want %q", got, problems, want)
	}
}

func TestAReaderReadsWhatChanged(t *testing.T) {
	w := newWorld(t)
	r := w.store.NewReader()
	want := func(tasks string) {
		t.Helper()
		live, problems := r.Live()
		w.wantLoops(live, problems, tasks)
	}
	want("")
	w.old("a", seven("task-a"), time.Minute)
	w.old("b", seven("task-b"), time.Minute)
	want("task-a task-b")
	w.same("a", seven("task-x"), time.Minute) // same time and size: not opened again
	want("task-a task-b")
	w.same("b", seven("task-c"), time.Minute-time.Nanosecond)
	want("task-a task-c")
	beside := w.places.Live("a") + ".new" // another file, though its time and size are the same
	w.must(os.WriteFile(beside, []byte(seven("task-y")), 0o600))
	w.age(beside, time.Minute)
	w.must(os.Rename(beside, w.places.Live("a")))
	want("task-y task-c")
	w.must(os.Remove(w.places.Live("a")))
	want("task-c")

	// A file that has just changed may change again in the same tick of the clock.
	w.same("b", seven("task-d"), 10*time.Millisecond)
	want("task-d")
	w.same("b", seven("task-e"), 10*time.Millisecond)
	*w.clock = w.clock.Add(time.Second) // also if the next look is late
	want("task-e")
}

func TestAReaderSeesTheJournal(t *testing.T) {
	w := newWorld(t)
	r := w.store.NewReader()
	w.old("a", with("task-a", map[string]any{"last_event_at": w.clock.Add(-time.Hour)}), time.Hour)
	r.Live()
	w.must(w.store.AddToJournal("a", loop.Record{Kind: loop.RecordTool, Tool: "Write"}))
	w.age(w.places.Journal("a"), time.Minute)
	live, _ := r.Live()
	if len(live) != 1 || !live[0].EventAt.Equal(w.clock.Add(-time.Minute)) {
		t.Errorf("got %v, want the time of the journal", live)
	}
}

func TestAReaderReportsWhatItCannotRead(t *testing.T) {
	w := newWorld(t)
	w.must(os.Mkdir(w.places.Archive, 0o700))
	w.live("a", seven("task-a"))
	w.live("b", "no loop")
	w.live("c", with("newer", map[string]any{"version": 99}))
	w.write(w.record("x"), "no loop")
	r := w.store.NewReader()
	for range 2 {
		live, problems := r.Live()
		_, archived := r.NewestEnded(5)
		if len(live) != 1 || len(problems) != 2 || len(archived) != 1 {
			t.Errorf("got %d loops and the problems %v and %v", len(live), problems, archived)
		}
	}
}

// The archive also holds copies of live loops, records of loops that moved to
// another chat, older ones of a chat, and files that are no records.
func TestNewestEnded(t *testing.T) {
	w := newWorld(t)
	r := w.store.NewReader()
	ended := func(most int, want string) {
		t.Helper()
		r.Live()
		loops, problems := r.NewestEnded(most)
		w.wantLoops(loops, problems, want)
	}
	ended(5, "") // no archive
	w.must(os.Mkdir(w.places.Archive, 0o700))
	over := func(task string) string { return with(task, map[string]any{"status": "CANCELLED"}) }
	w.live("live", seven("task-live"))
	w.live("killed", over("killed")) // before it was removed
	for n, file := range []struct{ name, content string }{
		{"live", over("the one before")}, {"lost", seven("lost")}, {"moved", with("moved", map[string]any{"status": "CANCELLED", "moved_to": "live"})},
		{"e~123", over("older")}, {".loop-mode-0", "{}"}, {"killed", over("killed")}, {"e", over("newest")},
	} {
		w.write(w.record(file.name), file.content)
		w.age(w.record(file.name), time.Duration(n)*time.Minute)
	}
	ended(5, "killed newest")
	for n := range 100 {
		id := fmt.Sprint("e", n)
		w.write(w.record(id), over(id))
		w.age(w.record(id), time.Duration(n+1)*time.Hour)
	}
	ended(4, "killed newest e0 e1")
	w.write(w.record("e50"), over("again"))
	ended(1, "again")
}

// Only so many files are opened, whatever is in them.
func TestNewestEndedOpensFewFiles(t *testing.T) {
	w := newWorld(t)
	w.must(os.Mkdir(w.places.Archive, 0o700))
	for n := range 16 {
		w.write(w.record(fmt.Sprint("lost", n)), seven("lost"))
		w.age(w.record(fmt.Sprint("lost", n)), time.Minute)
	}
	w.write(w.record("ended"), with("ended", map[string]any{"status": "CANCELLED"}))
	w.age(w.record("ended"), time.Hour)
	loops, problems := w.store.NewReader().NewestEnded(5)
	w.wantLoops(loops, problems, "")
	if loops, _ := w.store.NewReader().NewestEnded(6); !slices.ContainsFunc(loops, func(l loop.State) bool { return l.Prompt == "ended" }) {
		t.Error("got no ended loop, want the seventeenth file opened")
	}
}
