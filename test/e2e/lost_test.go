//go:build linux

package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// losing is a world in which a watcher runs, and whose Cursor loses the answers to some stops.
func losing(t *testing.T, change func(*simcursor.Options)) *world {
	t.Helper()
	w := newWorld(t, option("loses answers", change))
	w.extra = append(w.extra, "CURSOR_RALPH_NO_WATCHER=")
	w.cursors = map[string]*simcursor.Cursor{} // one with the new environment
	return w
}

// TestALostAnswerIsNoticed: nothing can type here, so the loop waits for its line, which the user sends.
func TestALostAnswerIsNoticed(t *testing.T) {
	t.Parallel()
	w := losing(t, func(o *simcursor.Options) { o.LoseStops = []int{2} })
	c := w.chat()
	c.starts(`"make it green"`)
	c.plays(1)
	c.works()
	c.says("A part is done.")
	c.rests()
	w.overdue(c.ID)
	w.until("the loss is noticed", func() bool { return strings.Contains(w.log(), "event=watcher action=followup-lost") })
	c.types("/ralph-loop --continue " + c.ID)
	w.wantPart("the line brings it", c.follows(), "[Ralph loop 3/20]")
	c.works()
	c.isAccepted(done, 3)
}

// TestAStalledLoop: no event comes any more, and the user gets one notice.
func TestAStalledLoop(t *testing.T) {
	t.Parallel()
	w := losing(t, func(o *simcursor.Options) { o.LoseStops, o.QuietFollowups = []int{2}, true })
	w.settings("[hook]\nstall-after = \"1s\"\n")
	c := w.chat()
	c.starts(`"make it green"`)
	c.plays(1)
	c.works()
	c.says("A part is done.")
	c.rests()
	w.until("the stall", func() bool { return strings.Contains(w.log(), "event=watcher action=stalled") })
	w.wantPart("the chip", w.ok(w.repo(), "status", "--json", c.ID), "Loop • Stalled • Iter 3/20")
	if n := strings.Count(w.log(), "event=watcher action=stalled"); n != 1 {
		t.Errorf("the user was notified %d times", n)
	}
	w.ok(w.repo(), "cancel", c.ID)
}

// overdue makes the follow-up of a chat's loop one of long ago.
func (w *world) overdue(chat string) {
	w.Helper()
	path := filepath.Join(w.tmp(), "cursor-ralph-loop-"+chat+".json")
	data, err := os.ReadFile(path)
	w.must(err)
	due := regexp.MustCompile(`"(opened_at|due_at)": "[^"]*"`)
	w.write(path, due.ReplaceAllString(string(data), `"$1": "`+time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)+`"`))
}
