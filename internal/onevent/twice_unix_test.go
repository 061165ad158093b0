//go:build unix

package onevent

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Our hook may be installed in two places; Cursor then runs both at once, with
// the same event. What happened once must count once: test/e2e installs it
// twice; here is what takes luck there.

const me = "11111111-aaaa-4bbb-8ccc-000000000001"

// TestCopyThatComesInTheMiddle holds the loop's lock while a copy of the stop
// waits for it, and ends the loop meanwhile.
func TestCopyThatComesInTheMiddle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.pending(me), with("the first", fields{"last_output": "COMPLETE", "min_tool_calls": 0}))
	w.rests(w.stopEvent(me)) // which ends it, and shows the record
	first := w.recorded(me)
	ended, err := os.ReadFile(w.places.Live(me))
	w.must(err)
	w.must(os.Remove(w.places.Live(me)))
	w.write(w.pending("1700000000000-7"), seven("the second"))

	release := w.lockAll()
	p := w.start(w.event("stop", me, fields{"status": "completed", "loop_count": 0, "generation_id": first.LastStop.Generation}))
	time.Sleep(300 * time.Millisecond) // the hook waits for a lock, which shows in no file to wait for
	first.LastStop.At = time.Now()
	data, err := first.Encode()
	w.must(err)
	w.write(w.places.Record(first.ID), string(data))
	w.write(w.places.Live(me), string(ended))
	release()
	if got := p.answer(); len(got) != 0 {
		t.Errorf("got %v, want {}", got)
	}
	if !w.exists(w.pending("1700000000000-7")) {
		t.Error("the stop that ended a loop claimed another one")
	}
}

// lockAll takes the locks of all loops.
func (w world) lockAll() (release func()) {
	w.Helper()
	locks, err := filepath.Glob(filepath.Join(w.places.Pending(), ".loop-*.lock"))
	w.must(err)
	if len(locks) == 0 {
		w.Fatal("there is no lock yet")
	}
	var releases []func() error
	for _, path := range locks {
		release, err := lock(path)
		w.must(err)
		releases = append(releases, release)
	}
	return func() {
		for _, release := range releases {
			w.must(release())
		}
	}
}
