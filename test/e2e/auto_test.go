//go:build unix

package e2e_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/test/short"
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

// updates is a new Cursor in the place of the one that is open.
func (w *world) updates(version string, limited bool) {
	w.Helper()
	for workspace, cursor := range maps.Clone(w.cursors) {
		delete(w.cursors, workspace)
		w.cursors[fmt.Sprintf("%s, closed before %d others", workspace, len(w.cursors))] = cursor
	}
	w.version, w.IgnoreLoopLimit = version, limited
}

// An old or unknown version counts as limited: its fifth stop hands over,
// and the sixth, which a limited one would not run, shows that it is not.
func TestAutoRunsOnInOneSessionWhereThereIsNoLimit(t *testing.T) {
	minimal := with("minimal", func(v *variant) { v.installs = [][]string{{"--minimal"}} })
	old := minimal
	old.name, old.version = "minimal, "+oldVersion, oldVersion
	minimal.version = newVersion
	each(t, append(automatic(false), minimal, old, twice()), func(w *world) {
		const iterations = 23
		version, handedOver := w.version, 0
		if version == "" {
			version = newVersion
		}
		// A minimal installation has no hook that would see a limit.
		limitless := takenForLimitless(version) && !slices.Contains(w.installs[0], "--minimal")
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

// stalled are limited Cursors of a version that is taken for one without limit,
// in which it can be more or less hard to see.
func stalled() []variant {
	list := append(sessions(), option("follow-ups first", func(o *simcursor.Options) { o.FollowupsFirst = true }))
	for i := range list {
		list[i].IgnoreLoopLimit = true
	}
	return list
}

func TestAutoLearnsFromWhatIsSaidToAStalledLoop(t *testing.T) {
	t.Parallel()
	for _, continued := range []bool{true, false} {
		t.Run(fmt.Sprintf("the continue line %v", continued), func(t *testing.T) {
			each(t, stalled(), func(w *world) {
				w.suspected()
				c := w.another()
				c.stalls()
				line := "Why don't you go on?"
				if continued {
					line = "/ralph-loop --continue " + c.ID
				}
				c.types(line)
				w.wantSeen(map[string]int{newVersion: 5})
				if continued {
					c.follows()
				}
				c.fifthHandsOver()
				c.stops()
			})
		})
	}
}

// What a loop sees that was installed to have no limit counts for later ones.
func TestAutoKnowsWhatWasSeenWithoutALimit(t *testing.T) {
	t.Parallel()
	for _, version := range short.First([]string{oldVersion, unknownVersion}, 1) {
		for _, limited := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, limited %v", version, limited), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, with("none before", func(v *variant) {
					v.installs, v.version, v.IgnoreLoopLimit = [][]string{{"--session-limit", "none"}}, version, limited
				}))
				if limited {
					w.suspected()
				}
				c := w.another()
				if limited {
					c.stalls()
					c.types("Why don't you go on?")
					w.wantSeen(map[string]int{version: 5})
				} else {
					c.limitless(6)
					w.wantSeen(map[string]int{version: 0})
				}
				c.stops()
				w.ok(w.repo(), "install", "--session-limit", "auto")
				next := w.another()
				if limited {
					next.fifthHandsOver()
				} else {
					next.limitless(7)
					w.wantAsked(0)
				}
				next.stops()
			})
		}
	}
}

// Every version stands for itself, and a version that changes is noticed.
func TestAutoWhenCursorChanges(t *testing.T) {
	short.Skip(t)
	each(t, []variant{with("update", func(v *variant) { v.version = "3.6.0" })}, func(w *world) {
		c := w.another()
		c.limitless(7)
		c.stops()
		w.wantSeen(map[string]int{"3.6.0": 0})

		w.updates("3.7.0", true)
		w.suspected()
		c = w.another()
		c.stalls()
		c.types("Why don't you go on?")
		c.stops()
		want := map[string]int{"3.6.0": 0, "3.7.0": 5}
		w.wantSeen(want)
		c = w.another()
		c.fifthHandsOver()
		c.stops()
		w.wantAsked(1)

		w.updates("3.8.0", false)
		c = w.another()
		c.limitless(5)
		w.wantSeen(want)
		c.limitless(2)
		c.stops()
		want["3.8.0"] = 0
		w.wantSeen(want)
		w.wantAsked(1)

		w.updates("3.7.0", true)
		c = w.another()
		c.fifthHandsOver()
		c.stops()
		w.wantSeen(want)

		w.updates("3.7.0", false)
		c = w.another()
		c.fifthHandsOver()
		c.limitless(7)
		c.stops()
		want["3.7.0"] = 0
		w.wantSeen(want)
		c = w.another()
		c.limitless(7)
		c.stops()

		w.updates("3.8.0", true)
		w.suspected()
		w.suspected() // what was proved holds
		w.wantAsked(3)
	})
}

// A message that takes the place of the fifth follow-up, a turn that fails, a
// pause: after none of them a stop is missing.
func TestAutoIsNotMisled(t *testing.T) {
	t.Parallel()
	ways := map[string]func(c *chat){
		"a message in place of the fifth follow-up": func(c *chat) {
			c.works()
			c.typesAhead("Use tabs.")
			c.says("A part is done.")
			c.ends()
			if c.turn.Message != "Use tabs." {
				c.Fatalf("got %q, want what the user typed", c.turn.Message)
			}
			c.typesAhead("Use spaces.")
			c.works()
			c.ends()
		},
		"the fifth turn fails": func(c *chat) {
			c.works()
			c.fails()
			c.types("Go on.")
			c.works()
			c.rests()
			c.ok(c.repo(), "resume", c.ID)
			c.types("Go on.")
		},
		"the loop is paused in the fifth turn": func(c *chat) {
			c.works()
			c.ok(c.repo(), "pause", c.ID)
			c.says("A part is done.")
			c.rests()
			c.ok(c.repo(), "resume", c.ID)
			c.types("Go on.")
		},
		"it goes on elsewhere in the sixth turn": func(c *chat) {
			c.works()
			c.goesOn()
			c.works()
			other := c.chat()
			other.types("/ralph-loop --continue " + c.ID)
			c.wantSeen(map[string]int{})
			other.stops()
		},
	}
	for _, name := range short.Keys(ways, 1) {
		play := ways[name]
		t.Run(name, func(t *testing.T) {
			each(t, sessions(), func(w *world) {
				c := w.another()
				c.limitless(4)
				play(c)
				w.wantSeen(map[string]int{})
				c.stops()
				next := w.another()
				next.limitless(5)
				next.stops()
				w.wantAsked(0)
			})
		})
	}
}
