package state_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// watched is a cached list that tells which files were read.
type watched struct {
	world
	list *state.Cached[loop.State]
	read *[]string
}

func newWatched(t *testing.T) watched {
	t.Helper()
	w, read := newWorld(t), &[]string{}
	w.must(os.Mkdir(w.places.Archive, 0o700))
	return watched{w, state.NewCached(w.store, func(id string, l loop.State) loop.State {
		*read = append(*read, id)
		return l
	}), read}
}

// wantLive looks, and checks which loops there are and which files were read.
func (w watched) wantLive(tasks, read string) {
	w.Helper()
	live, problems := w.list.Live()
	w.want("live", live, problems, tasks, read)
}

func (w watched) wantEnded(most int, tasks, read string) {
	w.Helper()
	ended, problems := w.list.Ended(most)
	w.want("ended", ended, problems, tasks, read)
}

func (w watched) want(what string, loops []loop.State, problems []error, tasks, read string) {
	w.Helper()
	var got []string
	for _, l := range loops {
		got = append(got, l.Prompt)
	}
	if len(problems) > 0 {
		w.Errorf("%s: got the problems %v", what, problems)
	}
	if got := strings.Join(got, " "); got != tasks {
		w.Errorf("%s: got %q, want %q", what, got, tasks)
	}
	slices.Sort(*w.read)
	if got := strings.Join(*w.read, " "); got != read {
		w.Errorf("%s: got the files of %q read, want %q", what, got, read)
	}
	*w.read = nil
}

// at sets when a file was changed, by the clock of the test.
func (w watched) at(path string, ago time.Duration) {
	w.Helper()
	then := w.clock.Add(-ago)
	w.must(os.Chtimes(path, then, then))
}

func TestCachedReadsOnlyWhatChanged(t *testing.T) {
	w := newWatched(t)
	w.wantLive("", "")
	for _, id := range []string{"a", "b"} {
		w.live(id, seven("task-"+id))
		w.at(w.places.Live(id), time.Minute)
	}
	w.wantLive("task-a task-b", "a b")
	w.wantLive("task-a task-b", "")

	w.live("b", seven("task-c")) // of the same size, a moment later
	w.at(w.places.Live("b"), time.Minute-time.Nanosecond)
	w.wantLive("task-a task-c", "b")

	w.must(os.Remove(w.places.Live("a")))
	w.wantLive("task-c", "")
	w.live("a", seven("task-a"))
	w.at(w.places.Live("a"), time.Minute)
	w.wantLive("task-a task-c", "a")
}

func TestCachedReadsAnotherFileWithTheSameTimeAndSize(t *testing.T) {
	w := newWatched(t)
	w.live("a", seven("task-a"))
	w.at(w.places.Live("a"), time.Minute)
	w.wantLive("task-a", "a")
	beside := w.places.Live("a") + ".new"
	w.write(beside, seven("task-b"))
	w.at(beside, time.Minute)
	w.must(os.Rename(beside, w.places.Live("a")))
	w.wantLive("task-b", "a")
}

// Two changes may fall into one tick of the file system's clock.
func TestCachedDoesNotTrustAFileThatHasJustChanged(t *testing.T) {
	w := newWatched(t)
	w.live("a", seven("task-a"))
	w.at(w.places.Live("a"), 10*time.Millisecond)
	w.wantLive("task-a", "a")
	f, err := os.OpenFile(w.places.Live("a"), os.O_WRONLY, 0) // the same file
	w.must(err)
	_, err = f.WriteString(seven("task-b"))
	w.must(err)
	w.must(f.Close())
	w.at(w.places.Live("a"), 10*time.Millisecond)
	w.wantLive("task-b", "a")
	w.later(time.Second)
	w.wantLive("task-b", "a")
	w.wantLive("task-b", "")
}

func TestCachedHearsTheJournal(t *testing.T) {
	w := newWatched(t)
	w.live("a", with("task-a", map[string]any{"last_event_at": w.clock.Add(-time.Hour)}))
	w.at(w.places.Live("a"), time.Hour)
	w.wantLive("task-a", "a")
	w.must(w.store.Record("a", loop.Record{Kind: loop.RecordTool, Tool: "Write"}))
	w.at(w.places.Journal("a"), time.Minute)
	live, _ := w.list.Live()
	if len(live) != 1 || !live[0].EventAt.Equal(w.clock.Add(-time.Minute)) {
		t.Errorf("got %v, want the time of the journal", live)
	}
}

func TestCachedTellsWhatCannotBeRead(t *testing.T) {
	w := newWatched(t)
	w.live("a", seven("task-a"))
	w.live("b", "no loop")
	w.live("c", with("newer", map[string]any{"version": 99}))
	for range 2 {
		live, problems := w.list.Live()
		if len(live) != 1 || len(problems) != 2 {
			t.Errorf("got %d loops and the problems %v", len(live), problems)
		}
	}
	w.write(w.record("x"), "no loop")
	if _, problems := w.list.Ended(5); len(problems) != 1 {
		t.Errorf("got the problems %v", problems)
	}
}

func TestCachedGivesTheNewestOfTheArchive(t *testing.T) {
	w := newWatched(t)
	over := func(task string) string { return with(task, map[string]any{"status": "CANCELLED"}) }
	for n := range 100 {
		id := fmt.Sprint("e", n)
		w.write(w.record(id), over(id))
		w.at(w.record(id), time.Duration(n+1)*time.Hour)
	}
	w.wantEnded(3, "e0 e1 e2", "e0 e1 e2")
	w.wantEnded(3, "e0 e1 e2", "")

	w.write(w.record("e50"), over("again"))
	w.at(w.record("e50"), time.Minute)
	w.wantEnded(3, "again e0 e1", "e50")
}

// The archive holds also the copies of loops that run, records of loops that went
// to another chat, older ones of a chat, and files that are no records.
func TestCachedKnowsWhatIsNoEndedLoop(t *testing.T) {
	w := newWatched(t)
	w.live("live", seven("task-live"))
	w.at(w.places.Live("live"), time.Minute)
	w.live("killed", with("killed", map[string]any{"status": "BLOCKED"})) // before it was removed
	w.wantLive("task-live", "killed live")
	for name, content := range map[string]string{
		"live": with("the one before", map[string]any{"status": "CANCELLED"}), "lost": seven("lost"),
		"moved": with("moved", map[string]any{"status": "CANCELLED", "moved_to": "live"}),
		"e~123": with("older", map[string]any{"status": "CANCELLED"}), "e": with("newest", map[string]any{"status": "BLOCKED"}),
		".loop-mode-0": `{}`, "killed": with("killed", map[string]any{"status": "BLOCKED"}),
	} {
		w.write(w.record(name), content)
	}
	w.write(w.places.Archive+"/1.history", "")
	ended, problems := w.list.Ended(10)
	tasks := func(a, b loop.State) int { return strings.Compare(a.Prompt, b.Prompt) }
	slices.SortFunc(ended, tasks)
	if len(problems) > 0 || len(ended) != 2 || ended[0].Prompt != "killed" || ended[1].Prompt != "newest" {
		t.Errorf("got %v and the problems %v", ended, problems)
	}
}

func TestCachedReadsABoundedPartOfTheArchive(t *testing.T) {
	w := newWatched(t)
	for n := range 100 {
		w.write(w.record(fmt.Sprint("lost", n)), seven("lost"))
	}
	if ended, _ := w.list.Ended(5); len(ended) != 0 || len(*w.read) != 15 {
		t.Errorf("got %d loops and %d files read, want 0 and 15", len(ended), len(*w.read))
	}
}

func TestCachedWithoutAnArchive(t *testing.T) {
	w := newWatched(t)
	w.must(os.Remove(w.places.Archive))
	w.wantEnded(5, "", "")
}
