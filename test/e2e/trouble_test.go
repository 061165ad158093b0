//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// clear empties /tmp, as a restart of the machine does.
func (w *world) clear() {
	w.Helper()
	entries, err := os.ReadDir(w.tmp())
	w.must(err)
	for _, e := range entries {
		w.must(os.RemoveAll(filepath.Join(w.tmp(), e.Name())))
	}
}

func TestALoopWhoseTmpWasClearedIsRestoredByContinue(t *testing.T) {
	each(t, without(bindings(), unseen), func(w *world) {
		c := running(w, `"make it green" --max-iterations 9 --completion-promise X`)
		c.plays(1)
		c.works()
		w.ok(w.repo(), "pause", c.ID)
		c.says("A part.")
		c.rests()
		w.clear()
		l := w.wantStatus(c.ID, "interrupted", 2)
		if got := w.listed(); !slices.Equal(got, []string{c.ID}) {
			w.Errorf("got the loops %q, want the interrupted one", got)
		}
		c.types("/ralph-loop --continue " + l.ID) // its own id
		out := c.follows()
		w.wantPart("continue", out, "[Ralph loop 3/9]")
		w.wantPart("continue", out, framed("make it green"))
		if now := w.wantStatus(c.ID, "running", 2); now.ID != l.ID {
			w.Errorf("got the id %s, want %s", now.ID, l.ID)
		}
		c.works()
		c.says("A part.")
		w.wantPart("continuation", c.goesOn(), "<promise>X</promise>")
		c.works()
		c.says("<promise>X</promise>")
		c.concludes()
		if l := w.status(c.ID); l.Status != "PROMISE_ACCEPTED" || len(l.History) < 4 {
			w.Errorf("got %s with %d iterations in the history, want PROMISE_ACCEPTED with 4", l.Status, len(l.History))
		}
	})
}

// A turn may take more than a day: its tool calls count.
func TestALongTurnIsNotStale(t *testing.T) {
	once(t, func(w *world) {
		c := running(w, `"make it green"`)
		c.works()
		c.forgotten(25 * time.Hour)
		c.works()
		c.goesOn()
		c.stops()
	})
}
