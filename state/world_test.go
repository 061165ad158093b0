package state_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

const (
	me    = "11111111-aaaa-4bbb-8ccc-000000000001"
	other = "22222222-aaaa-4bbb-8ccc-000000000002"
)

var seven, with = loopfiles.Seven, loopfiles.With

// world is a pair of folders and a clock that a test moves.
type world struct {
	*testing.T
	places platform.Places
	store  *state.Store
	clock  *time.Time
}

func newWorld(t *testing.T) world {
	t.Helper()
	dir := t.TempDir()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w := world{T: t, places: loopfiles.Places(t, filepath.Join(dir, "tmp"), filepath.Join(dir, "archive")), clock: &now}
	w.must(os.Mkdir(w.places.Base, 0o700))
	w.store = state.New(w.places, func() time.Time { return *w.clock })
	return w
}

func (w world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// context ends before the test does.
func (w world) context() context.Context {
	ctx, cancel := context.WithTimeout(w.Context(), 2*time.Minute)
	w.Cleanup(cancel)
	return ctx
}

func (w world) later(d time.Duration) { *w.clock = w.clock.Add(d) }

func (w world) write(path, content string) {
	w.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o700))
	w.must(os.WriteFile(path, []byte(content), 0o600))
}

func (w world) live(id, content string) { w.Helper(); w.write(w.places.Live(id), content) }

// record is the path of the record of a conversation's loop, the last one.
func (w world) record(conversation string) string {
	w.Helper()
	l, err := w.store.Recorded(conversation)
	w.must(err)
	return w.places.Record(l.ID)
}

// begun starts a loop in a conversation.
func (w world) begun(id, task string) {
	w.Helper()
	w.must(w.store.Claim(w.context(), id, func(live string) error {
		return os.WriteFile(live, []byte(with(task, map[string]any{"min_tool_calls": 0})), 0o600)
	}))
}

// stop is a completed turn, unlike every other one of the test.
func (w world) stop(id string) (loop.State, loop.Action) {
	w.Helper()
	l, action, err := w.store.Apply(w.context(), id, w.stopEvent())
	w.must(err)
	return l, action
}

func (w world) stopEvent() loop.Event {
	w.later(time.Minute)
	return loop.Event{Kind: loop.EventStop, Generation: fmt.Sprint("g", w.clock.Unix()), Stop: loop.Stop{Status: loop.Completed, Waited: true}}
}

func (w world) apply(id string, e loop.Event) (loop.State, loop.Action) {
	w.Helper()
	l, action, err := w.store.Apply(w.context(), id, e)
	w.must(err)
	return l, action
}

func (w world) read(id string) loop.State {
	w.Helper()
	l, err := w.store.Read(id)
	w.must(err)
	return l
}

func (w world) recorded(id string) loop.State {
	w.Helper()
	l, err := w.store.Recorded(id)
	w.must(err)
	return l
}

func (w world) exists(path string) bool { w.Helper(); return loopfiles.Exists(w, path) }

// files is what is in both folders, by path below their parent.
func (w world) files() map[string]string {
	w.Helper()
	return loopfiles.Tree(w, filepath.Dir(w.places.Base))
}

// count returns how often the loop with a task exists: running, or over. A
// live file whose status has ended counts as over, together with its record;
// the record of a running loop is a copy and does not count.
func (w world) count(task string) (running, over int) {
	w.Helper()
	ended := map[string]bool{}
	for name, content := range w.files() {
		l, err := loop.Parse([]byte(content))
		if !strings.HasSuffix(name, ".json") || err != nil || l.Prompt != task {
			continue
		}
		switch {
		case l.Status.Ended():
			ended[l.ID] = true
		case !strings.HasPrefix(name, "archive/"):
			running++
		}
	}
	return running, len(ended)
}

// once checks that a loop is there once.
func (w world) once(task string) {
	w.Helper()
	if running, over := w.count(task); running+over != 1 {
		w.Errorf("%s: got %d running and %d over, want it once", task, running, over)
	}
}
