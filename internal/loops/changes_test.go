package loops

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

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
	o.must(os.MkdirAll(places.Records(), 0o700))
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
	problems := o.Poll(func(c Change) {
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

// One loop goes through all three folders under one key.
func TestALoopIsFollowedFromFolderToFolder(t *testing.T) {
	o := observes(t)
	const id = `"id": "k7f2m"`
	o.puts(o.Box.Path("17-1"), "one", id)
	o.wants("one pending")
	o.must(os.Rename(o.Box.Path("17-1"), o.places.Live("chat")))
	o.wants("one running")
	o.puts(o.places.Record("k7f2m"), "one", id, `"conversation_id": "chat"`) // the copy
	o.must(os.MkdirAll(filepath.Dir(o.places.Chat("chat")), 0o700))
	o.must(os.WriteFile(o.places.Chat("chat"), []byte("k7f2m\n"), 0o600))
	o.wants()
	o.must(os.Remove(o.places.Live("chat")))
	o.wants("one running!")
	o.puts(o.places.Live("chat"), "one", id)
	o.wants("one running")
	o.puts(o.places.Record("k7f2m"), "one", id, `"conversation_id": "chat"`, `"status": "CANCELLED"`)
	o.puts(o.places.Live("chat"), "one", id, `"status": "CANCELLED"`)
	o.must(os.Remove(o.places.Chat("chat")))
	o.wants("one CANCELLED")
	o.wants()
	o.puts(o.places.Live("chat"), "two", `"id": "k7f2n"`)
	o.wants("two running")
	o.wants()
	o.must(os.Remove(o.places.Record("k7f2m")))
	o.wants()
	o.wants("gone")
}

func TestTimeChangesHowALoopStands(t *testing.T) {
	o := observes(t)
	event := o.clock.Add(-time.Minute).UTC().Format(time.RFC3339)
	o.puts(o.places.Live("a"), "one", `"last_event_at": "`+event+`"`)
	o.wants("one running")
	o.clock = o.clock.Add(28 * time.Minute)
	o.wants()
	o.clock = o.clock.Add(2 * time.Minute)
	o.wants("one running")
	o.wants()
}
