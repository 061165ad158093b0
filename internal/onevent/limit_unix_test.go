//go:build unix

package onevent

import (
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/state"
)

// A limit of the user's is kept, and what a stop beyond Cursor's shows is remembered all the same.
func TestTheUsersSessionLimit(t *testing.T) {
	for _, c := range []struct{ setting, loopCount, want, seen int }{
		{0, 3, 5, 0}, {0, 5, 0, 1}, {noLimit, 3, 0, 0}, {noLimit, 5, 0, 1}, {7, 3, 7, 0}, {7, 5, 7, 1},
	} {
		w := newWorld(t)
		h := &handler{now: time.Now, getenv: w.getenv, settings: &settings{sessionLimit: c.setting}}
		h.in.CursorVersion = "dev"
		w.must(h.find())
		h.open(nil)
		if got := h.sessionLimit(c.loopCount); got != c.want {
			t.Errorf("%+v: got the limit %d", c, got)
		}
		seen, err := state.New(w.places, time.Now).SeenLimits()
		if w.must(err); len(seen) != c.seen {
			t.Errorf("%+v: got %v", c, seen)
		}
	}
}
