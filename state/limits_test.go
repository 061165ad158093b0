package state_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sees notes a limit and checks whether that was news: no limit by a proof,
// another one by enough observations.
func (w world) sees(version string, limit int, news bool) {
	w.Helper()
	if limit > 0 {
		w.suspects(version, limit, "a", false)
		w.suspects(version, limit, "b", news)
		return
	}
	changed, err := w.store.ProveNoLimit(version)
	w.must(err)
	if changed != news {
		w.Errorf("%q without a limit: got news %v, want %v", version, changed, news)
	}
}

func (w world) suspects(version string, limit int, session string, news bool) {
	w.Helper()
	changed, err := w.store.SuspectLimit(version, limit, session)
	w.must(err)
	if changed != news {
		w.Errorf("%q with the limit %d in session %s: got news %v, want %v", version, limit, session, changed, news)
	}
}

// limits returns what was observed, by version.
func (w world) limits() map[string]int {
	w.Helper()
	seen, err := w.store.SeenLimits()
	w.must(err)
	limits := map[string]int{}
	for version, l := range seen {
		limits[version] = l.Limit
	}
	return limits
}

func (w world) wantLimits(want map[string]int) {
	w.Helper()
	if diff := cmp.Diff(want, w.limits()); diff != "" {
		w.Errorf("limits that were seen (-want +got):\n%s", diff)
	}
}

func TestLimitsAreRememberedByVersion(t *testing.T) {
	w := newWorld(t)
	w.wantLimits(map[string]int{})
	if files := w.files(); len(files) > 0 {
		t.Errorf("got %v from looking alone, want no files", files)
	}
	w.sees("3.6.21", 5, true)
	w.sees("", 0, true)
	w.sees("2026.09.18-9a7762b", 0, true)
	w.wantLimits(map[string]int{"3.6.21": 5, "": 0, "2026.09.18-9a7762b": 0})
	w.sees("3.6.21", 0, true)
	w.wantLimits(map[string]int{"3.6.21": 0, "": 0, "2026.09.18-9a7762b": 0})
	for name := range w.files() {
		if name != "archive/.session-limits.json" {
			t.Errorf("got the file %s, want one alone", name)
		}
	}
}

// The window was reloaded: a stop is missing, and that proves nothing.
func TestAnInferenceDoesNotReplaceAProof(t *testing.T) {
	w := newWorld(t)
	w.sees("3.6.21", 0, true)
	for _, session := range []string{"a", "b", "c"} {
		w.suspects("3.6.21", 5, session, false)
	}
	w.wantLimits(map[string]int{"3.6.21": 0})
}

func TestALimitNeedsTwoSessions(t *testing.T) {
	w := newWorld(t)
	for range 3 { // reported twice, or asked about again
		w.suspects("3.6.21", 5, "a", false)
	}
	w.wantLimits(map[string]int{})
	w.suspects("3.6.21", 5, "b", true)
	w.wantLimits(map[string]int{"3.6.21": 5})
	w.sees("3.6.21", 0, true)
	w.wantLimits(map[string]int{"3.6.21": 0})
}

func TestAnInferenceExpires(t *testing.T) {
	const month = 30 * 24 * time.Hour
	w := newWorld(t)
	w.suspects("3.6.21", 5, "a", false)
	w.later(month)
	w.suspects("3.6.21", 5, "b", false) // the first one is forgotten
	w.later(month - time.Second)
	w.suspects("3.6.21", 5, "c", true)
	w.later(month - time.Second)
	w.wantLimits(map[string]int{"3.6.21": 5})
	w.later(time.Second)
	w.wantLimits(map[string]int{})
}
