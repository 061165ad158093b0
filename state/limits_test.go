package state_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func (w world) limitsFile() string { return w.record(".session-limits") }

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

func TestALimitSeenAgainWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.sees("3.6.21", 0, true)
	w.sees("2.4.0", 5, true)
	before, err := os.Stat(w.limitsFile())
	w.must(err)
	w.later(time.Hour)
	w.sees("3.6.21", 0, false)
	w.suspects("2.4.0", 5, "b", false)
	after, err := os.Stat(w.limitsFile())
	w.must(err)
	if !os.SameFile(before, after) || !after.ModTime().Equal(before.ModTime()) {
		t.Error("the file was written again")
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

// A file of an older version, which wrote one observation down as a fact.
func TestALimitOfAnOlderFileIsOneObservation(t *testing.T) {
	w := newWorld(t)
	w.write(w.limitsFile(), `{"3.6.21": {"limit": 5, "at": "2026-02-20T12:00:00Z"}, "3.7.0": {"limit": 0, "at": "2020-01-01T00:00:00Z"}}`)
	w.wantLimits(map[string]int{"3.7.0": 0})
	w.suspects("3.7.0", 5, "a", false)
	w.suspects("3.6.21", 5, "a", true)
	w.wantLimits(map[string]int{"3.7.0": 0, "3.6.21": 5})
}

// The versions that were seen last stay, the new one among them whatever the
// clock says.
func TestTwentyVersionsAreKept(t *testing.T) {
	for _, backwards := range []bool{false, true} {
		w := newWorld(t)
		w.sees("", 5, true) // an unknown version is as old as it is
		var versions []string
		for i := range 25 {
			w.later(time.Minute)
			if backwards {
				w.later(-2 * time.Minute)
			}
			versions = append(versions, fmt.Sprintf("3.%d", i))
			w.sees(versions[i], 0, true)
			if n := len(w.limits()); n != min(i+2, 20) {
				t.Fatalf("got %d versions after %d", n, i+2)
			}
		}
		want := map[string]int{}
		for _, v := range versions[5:] {
			want[v] = 0
		}
		if backwards { // then the newest by the clock were the first
			want = map[string]int{"": 5, versions[24]: 0}
			for _, v := range versions[:18] {
				want[v] = 0
			}
		}
		w.wantLimits(want)
		w.sees(versions[24], 0, false)
		w.wantLimits(want)
	}
}

func TestALimitsFileThatSaysNothingIsWrittenAnew(t *testing.T) {
	for name, content := range map[string]string{
		"nothing": "", "zeros": "\x00\x00\x00", "half a file": `{"3.6.21": {"limit": 5, "a`, "null": "null", "a list": `[{"limit": 5}]`,
		"a loop": seven("x"), "another type": `{"3.6.21": 5}`, "a limit in words": `{"3.6.21": {"limit": "five"}}`, "binary": "\xff\xfe{}",
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.limitsFile(), content)
			w.wantLimits(map[string]int{})
			w.sees("3.6.21", 5, true)
			w.wantLimits(map[string]int{"3.6.21": 5})
		})
	}
}

// No conversation has an id whose record is the file of the limits, and no list
// of records has it.
func TestTheLimitsAreNoRecordOfALoop(t *testing.T) {
	w := newWorld(t)
	w.sees("3.6.21", 5, true)
	id := strings.TrimSuffix(filepath.Base(w.limitsFile()), ".json")
	if err := loop.CheckID(id); err == nil {
		t.Errorf("%q: got an id", id)
	}
	if w.store.HasRecord(id[1:]) {
		t.Errorf("%q has a record", id[1:])
	}
	w.must(w.store.Put(w.context(), loop.State{Contract: loop.Contract{Prompt: "x"}, ConversationID: id[1:], Status: loop.Cancelled}))
	ended, problems := w.endedLoops()
	if len(ended) != 1 || len(problems) > 0 {
		t.Errorf("got %d records and the problems %v, want the one of a loop", len(ended), problems)
	}
	w.wantLimits(map[string]int{"3.6.21": 5})
}
