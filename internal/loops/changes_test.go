package loops

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// observer looks at loops that lie in files of a test, under a clock that it moves.
type observer struct {
	*testing.T
	*Loops
	*Changes
	clock time.Time
}

func observes(t *testing.T) *observer {
	t.Helper()
	places := loopfiles.Places(t, t.TempDir(), t.TempDir())
	o := &observer{T: t, clock: time.Now()}
	o.Loops = New(places, func() time.Time { return o.clock })
	o.must(os.MkdirAll(places.Pending(), 0o700))
	o.Changes = o.Loops.Changes()
	return o
}

func (o *observer) must(err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

// puts writes a file of a loop; what it does not say is as in every loop here.
func (o *observer) puts(path, task string, fields ...string) {
	o.Helper()
	text := fmt.Sprintf(`{"prompt": %q, "created_at": "2026-01-02T03:04:05Z", "started_at": "2026-01-02T03:04:05Z"`, task)
	for _, f := range fields {
		text += ", " + f
	}
	o.writes(path, text+"}\n")
}

func (o *observer) writes(path, text string) {
	o.Helper()
	o.must(os.WriteFile(path+".new", []byte(text), 0o600))
	o.must(os.Rename(path+".new", path))
	o.ages(path, time.Minute)
}

func (o *observer) ages(path string, ago time.Duration) {
	o.Helper()
	then := o.clock.Add(-ago)
	o.must(os.Chtimes(path, then, then))
}

// wants looks, and checks what is visited.
func (o *observer) wants(want ...string) {
	o.Helper()
	var got []string
	var tasks = map[string]string{}
	problems := o.Look(func(c Change) {
		switch {
		case c.Gone:
			got = append(got, "gone")
		default:
			word := string(c.State.Status)
			if c.IsInterrupted() {
				word += "!"
			}
			got = append(got, c.State.Prompt+" "+word)
			tasks[c.Key] = c.State.Prompt
		}
	})
	if !slices.Equal(got, want) || len(problems) > 0 {
		o.Errorf("got %q and the problems %v, want %q", got, problems, want)
	}
}

func TestALookVisitsWhatChanged(t *testing.T) {
	o := observes(t)
	o.wants()
	a, b := o.places.Live("a"), o.places.Live("b")
	o.puts(a, "one")
	o.puts(b, "two")
	o.wants("one running", "two running")
	o.wants()
	o.puts(b, "two", `"status": "paused"`)
	o.wants("two paused")
	o.Again(keyAt(o, "a"))
	o.wants("one running")
	o.must(os.Remove(a))
	o.wants() // it may be on its way to another folder
	o.wants("gone")
	o.wants()
}

func keyAt(o *observer, id string) string { return o.folders[1].files[id].key }

// A file that has just changed may change again in the same tick of the clock.
func TestALookReadsAYoungFileAgain(t *testing.T) {
	o := observes(t)
	path := o.places.Live("a")
	o.puts(path, "one")
	o.ages(path, 10*time.Millisecond)
	o.wants("one running")
	info, err := os.Stat(path)
	o.must(err)
	o.must(os.WriteFile(path, []byte(strings.Replace(o.reads(path), "one", "two", 1)), 0o600))
	o.must(os.Chtimes(path, info.ModTime(), info.ModTime()))
	o.clock = o.clock.Add(time.Second)
	o.wants("two running", "gone")
}

func (o *observer) reads(path string) string {
	o.Helper()
	data, err := os.ReadFile(path)
	o.must(err)
	return string(data)
}

func TestALookSeesTheJournal(t *testing.T) {
	o := observes(t)
	o.puts(o.places.Live("a"), "one", `"last_event_at": "2026-01-02T03:04:05Z"`)
	o.wants("one running")
	o.must(o.Store.AddToJournal("a", loop.Record{Kind: loop.RecordTool, Tool: "Write"}))
	o.ages(o.places.Journal("a"), time.Minute)
	o.wants("one running")
	o.wants()
}

// One loop goes through all three folders under one key.
func TestALoopIsFollowedFromFolderToFolder(t *testing.T) {
	o := observes(t)
	const id = `"id": "k7f2m"`
	o.puts(o.Box.Path("17-1"), "one", id)
	o.wants("one pending")
	o.must(os.Rename(o.Box.Path("17-1"), o.places.Live("chat")))
	o.wants("one running")
	o.puts(o.places.Record("chat"), "one", id) // the copy
	o.wants()
	o.must(os.Remove(o.places.Live("chat")))
	o.wants("one running!")
	o.puts(o.places.Live("chat"), "one", id)
	o.wants("one running")
	o.puts(o.places.Record("chat"), "one", id, `"status": "CANCELLED"`)
	o.must(os.Remove(o.places.Live("chat")))
	o.wants("one CANCELLED")
	o.must(os.Rename(o.places.Record("chat"), o.places.Record("chat~1")))
	o.puts(o.places.Live("chat"), "two", `"id": "k7f2n"`)
	o.wants("two running", "one CANCELLED")
	o.wants()
	o.must(os.Remove(o.places.Record("chat~1")))
	o.wants()
	o.wants("gone")
}

// A live file says that it has ended if a kill came before the archive. Of the
// archive, what was left long ago is not shown.
func TestALookShowsAnEndThatIsNotArchived(t *testing.T) {
	o := observes(t)
	o.puts(o.places.Live("a"), "one", `"status": "CANCELLED"`)
	o.puts(o.places.Record("b"), "moved", `"moved_to": "c"`)
	o.puts(o.places.Record("d~1"), "left for another in its chat")
	o.puts(o.places.Record("e"), "forgotten", `"last_event_at": "2020-01-01T00:00:00Z"`)
	o.wants("one CANCELLED")
}

func TestTimeChangesHowALoopStands(t *testing.T) {
	o := observes(t)
	event := o.clock.Add(-time.Minute).UTC().Format(time.RFC3339)
	o.puts(o.places.Live("a"), "one", `"last_event_at": "`+event+`"`, `"stall_after": "30m"`)
	o.wants("one running")
	o.clock = o.clock.Add(28 * time.Minute)
	o.wants()
	o.clock = o.clock.Add(2 * time.Minute)
	o.wants("one running")
	o.wants()
}

func TestALookReportsWhatItCannotRead(t *testing.T) {
	o := observes(t)
	o.puts(o.places.Live("a"), "one")
	o.writes(o.places.Live("b"), "no loop")
	o.writes(o.Box.Path("c"), "no loop")
	o.writes(o.places.Record("d"), `{"prompt": "newer", "version": 99}`)
	for range 3 {
		if problems := o.Look(func(Change) {}); len(problems) != 3 {
			t.Errorf("got the problems %v, want 3", problems)
		}
	}
	// While a folder cannot be read nothing counts as gone.
	o.must(os.Rename(o.places.Base, o.places.Base+"-away"))
	for range 3 {
		o.Look(func(c Change) { t.Errorf("got a visit of %+v", c) })
	}
}
