//go:build unix

package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The versions of the Cursors here, and what they are taken for until more is
// seen of them.
const (
	oldVersion     = "2.4.1" // limited
	newVersion     = "3.6.21"
	cliVersion     = "2026.09.18-9a7762b"
	unknownVersion = "dev" // limited
)

func takenForLimitless(version string) bool { return version == newVersion || version == cliVersion }

// automatic are Cursors of each version with the session limit of the
// installer. With limited they have a limit, whatever hooks.json says.
func automatic(limited bool) []variant {
	var list []variant
	for _, version := range []string{oldVersion, newVersion, cliVersion, unknownVersion} {
		for _, kept := range []bool{false, true} {
			name := version
			if kept {
				name += ", loop count is kept"
			}
			list = append(list, with(name, func(v *variant) {
				v.version, v.IgnoreLoopLimit, v.KeepLoopCount, v.AgentIDs = version, limited, kept, version == cliVersion
			}))
		}
	}
	return list
}

// seen returns the limits that hooks go by, by version.
func (w *world) seen() map[string]int {
	w.Helper()
	limits := map[string]int{}
	data, err := os.ReadFile(filepath.Join(w.archive(), ".session-limits.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return limits
	}
	w.must(err)
	var found map[string]struct {
		Limit        *int
		Observations int
	}
	w.must(json.Unmarshal(data, &found))
	for version, l := range found {
		if l.Limit == nil {
			w.Fatalf("got no limit in %s", data)
		}
		if *l.Limit == 0 || l.Observations > 1 {
			limits[version] = *l.Limit
		}
	}
	return limits
}

func (w *world) wantSeen(want map[string]int) {
	w.Helper()
	if diff := cmp.Diff(want, w.seen()); diff != "" {
		w.Errorf("limits that were seen (-want +got):\n%s", diff)
	}
}

// wantAsked checks how often it was asked whether the continue line can be
// typed, which it cannot: there is no desktop.
func (w *world) wantAsked(times int) {
	w.Helper()
	if got := strings.Count(w.log(), "action=typing-impossible"); got != times {
		w.Errorf("got asked %d times whether typing is possible, want %d", got, times)
	}
	w.wantNoPart("log", w.log(), "action=inject")
}

// limitless plays n turns and wants no hand-over after any of them.
func (c *chat) limitless(n int) {
	c.Helper()
	for range n {
		c.plays(1)
		c.wantNoHandOver()
	}
}

// fifthHandsOver plays a session up to its hand-over.
func (c *chat) fifthHandsOver() {
	c.Helper()
	c.limitless(4)
	c.plays(1)
	c.wantHandOver()
}

// stalls plays the six turns of a session after which a Cursor with a limit
// prints nothing, where the hook takes it for one without.
func (c *chat) stalls() {
	c.Helper()
	c.limitless(5)
	c.works()
	c.says("A part is done.")
	c.rests()
	c.wantStatus(c.ID, "running", 5)
}

// suspected is a limited Cursor in which one loop has stalled. That alone proves
// nothing: its window may have been reloaded.
func (w *world) suspected() {
	w.Helper()
	before := w.seen()
	c := w.another()
	c.stalls()
	c.types("Why don't you go on?")
	c.stops()
	w.wantSeen(before)
}

// another is a loop in a chat of its own.
func (w *world) another() *chat {
	w.Helper()
	c := w.chat()
	c.starts(`"make it blue" --max-iterations 40`)
	return c
}

// An old or unknown version counts as limited: its fifth stop hands over,
// and the sixth, which a limited one would not run, shows that it is not.
func TestAutoRunsOnInOneSessionWhereThereIsNoLimit(t *testing.T) {
	each(t, append(automatic(false), twice()), func(w *world) {
		const iterations = 23
		version, handedOver := w.version, 0
		if version == "" {
			version = newVersion
		}
		limitless := takenForLimitless(version)
		c := w.chat()
		c.starts(fmt.Sprintf(`"make it green" --max-iterations %d`, iterations))
		for n := 1; n < iterations; n++ {
			c.plays(1)
			if strings.Contains(c.turn.Message, "/ralph-loop --continue ") {
				handedOver++
				if n != 5 || limitless {
					w.Errorf("after turn %d: got a hand-over", n)
				}
			}
		}
		c.works()
		c.says("I'm done.")
		c.rests()
		w.wantStatus(c.ID, "MAX_ITERATIONS_REACHED", iterations)
		if n := len(c.Messages()); n != iterations {
			w.Errorf("got %d messages to the agent, want %d", n, iterations)
		}
		if ran, skipped := c.ran(); ran != iterations*len(w.installs) || skipped != 0 {
			w.Errorf("got %d stop hooks run and %d skipped, want all run", ran, skipped)
		}
		want := 1
		if limitless {
			want = 0
		}
		if handedOver != want {
			w.Errorf("got %d hand-overs, want %d", handedOver, want)
		}
		w.wantAsked(want)
		w.wantSeen(map[string]int{version: 0})

		next := w.another()
		next.limitless(7)
		next.stops()
		w.wantAsked(want)
	})
}

// A limited Cursor that was taken for one without limit stalls twice. What the
// user then says shows it, for all loops from then on.
func TestAutoLearnsOfTheLimit(t *testing.T) {
	each(t, automatic(true), func(w *world) {
		if takenForLimitless(w.version) {
			w.suspected()
		}
		c := w.another()
		if !takenForLimitless(w.version) {
			c.fifthHandsOver()
			c.works()
			c.rests()
			c.types("/ralph-loop --continue " + c.ID)
			c.follows()
			w.wantSeen(map[string]int{})
		} else {
			c.stalls()
			if ran, skipped := c.ran(); ran != 5 || skipped != 1 {
				w.Errorf("got %d stop hooks run and %d skipped, want 5 and 1", ran, skipped)
			}
			w.wantAsked(0)
			w.wantSeen(map[string]int{})
			c.types("Why don't you go on?")
			w.wantSeen(map[string]int{w.version: 5})
		}
		asked := strings.Count(w.log(), "action=typing-impossible")
		if c.KeepLoopCount { // no stop hook is run in this chat any more
			c.works()
			c.rests()
		} else {
			c.fifthHandsOver()
			asked++
			c.stops()
		}
		next := w.another()
		next.fifthHandsOver()
		next.stops()
		w.wantAsked(asked + 1)
		want := map[string]int{}
		if takenForLimitless(w.version) {
			want[w.version] = 5
		}
		w.wantSeen(want)
	})
}
