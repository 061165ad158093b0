package state_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// The files in testdata/present were written before the fields of loop.State were
// grouped. They must be read forever.
func TestPresentFilesAreRead(t *testing.T) {
	w := newWorld(t)
	*w.clock = time.Date(2026, 11, 22, 11, 0, 0, 0, time.UTC)
	w.must(os.MkdirAll(w.places.Archive, 0o700))
	for name, as := range map[string]string{
		"loop-mode.json":       w.places.LoopMode("/home/ada/shop"),
		"aborted-stops.json":   filepath.Join(w.places.Archive, ".aborted-stops.json"),
		"shown-followups.json": filepath.Join(w.places.Archive, ".shown-followups.json"),
		"session-limits.json":  filepath.Join(w.places.Archive, ".session-limits.json"),
	} {
		data, err := os.ReadFile(filepath.Join("testdata", "present", name))
		w.must(err)
		w.must(os.WriteFile(as, data, 0o600))
	}
	mode, err := w.store.Mode("/home/ada/shop")
	w.must(err)
	if l := mode.Loop; !mode.On(*w.clock) || l.MaxIterations != 4 || l.Verify != "make test" || l.PlanGuard != loop.GuardMissing || l.StruggleHint != 3 {
		t.Errorf("got the loop mode %+v", mode)
	}
	if aborts, err := w.store.Aborts("3.6.21"); !aborts || err != nil {
		t.Errorf("got aborts %t (%v), want those of the file", aborts, err)
	}
	limits, err := w.store.SeenLimits()
	if err != nil || len(limits) != 1 || limits["3.6.21"].Limit != 0 {
		t.Errorf("got the limits %v (%v), want the proved one alone: the other has expired", limits, err)
	}
	*w.clock = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	if limits, err = w.store.SeenLimits(); err != nil || limits["2.4.0"].Limit != 5 {
		t.Errorf("got the limits %v (%v), want both", limits, err)
	}
}
