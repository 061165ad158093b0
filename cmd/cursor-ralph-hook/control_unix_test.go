//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

const (
	chatA = "aaaaaaaa-0000-4000-8000-000000000001"
	chatB = "bbbbbbbb-0000-4000-8000-000000000002"
)

// twoChats have a loop each.
func (w world) twoChats() world {
	w.Helper()
	for _, id := range []string{chatA, chatB} {
		w.write(w.pending(id), seven("the task of "+id))
		w.followup(w.stopEvent(id))
	}
	return w
}

// keptBack is a message that does not reach the agent, and what the user is
// shown instead.
func (w world) keptBack(id, message string) string {
	w.Helper()
	answer := w.hook(w.sends(id, message))
	if answer["continue"] != false {
		w.Errorf("%s: got %v, want it kept back", message, answer)
	}
	return fmt.Sprint(answer["user_message"])
}

func TestAControlNamesAnotherLoop(t *testing.T) {
	for _, c := range []struct {
		line, shown string
		status      loop.Status // of B
		reason      string
	}{
		{"/cancel-ralph " + chatB, "The Ralph loop " + chatB + " is cancelled.", loop.Cancelled, ""},
		{"/cancel-ralph bbbb", "The Ralph loop " + chatB + " is cancelled.", loop.Cancelled, ""},
		{"/ralph-pause " + chatB, "/ralph-resume " + chatB + " sets it going again.", loop.Paused, "user"},
		{"/ralph-resume " + chatB, "The Ralph loop " + chatB + " is resumed", loop.Running, ""},
		{"/ralph-status " + chatB, "More: cursor-ralph status " + chatB, loop.Running, ""},
		{"/cancel-ralph nobody", "There is no loop nobody. Nothing was done; `cursor-ralph list` shows the ids.", loop.Running, ""},
		{"/cancel-ralph the other one", `"the other one" is not the id of a loop.`, loop.Running, ""},
		{"/ralph-context " + chatB, "The agent gets this", loop.Running, ""},
	} {
		t.Run(c.line, func(t *testing.T) {
			w := newWorld(t).twoChats()
			if strings.HasPrefix(c.line, "/ralph-resume") {
				w.keptBack(chatB, "/ralph-pause")
			}
			if got := w.keptBack(chatA, c.line); !strings.Contains(got, c.shown) {
				t.Errorf("got %q, want %q in it", got, c.shown)
			}
			b := w.archived(chatB)
			if c.status != loop.Cancelled {
				b = w.live(chatB)
			}
			if b.Status != c.status || string(b.PauseReason) != c.reason || len(b.Context) > 0 {
				t.Errorf("B: got %s (%s) with the context %q", b.Status, b.PauseReason, b.Context)
			}
			if a := w.live(chatA); a.Status != loop.Running || strings.HasPrefix(c.line, "/ralph-context") != (len(a.Context) == 1) {
				t.Errorf("A: got %s with the context %q", a.Status, a.Context)
			}
		})
	}
}

// In a chat the short id of another loop names that loop, also by its beginning, and no
// loop where it is cursor-ralph's matter.
func TestAControlNamesALoopByItsShortID(t *testing.T) {
	for line, want := range map[string]loop.Status{"/cancel-ralph k7f2m": loop.Cancelled, "/cancel-ralph k7f": loop.Cancelled, "/ralph-pause k7f2m": loop.Paused, "/cancel-ralph z0000": loop.Running} {
		t.Run(line, func(t *testing.T) {
			w := newWorld(t).twoChats()
			b := w.live(chatB)
			w.write(w.places.Live(chatB), strings.Replace(encoded(t, b), b.ID, "k7f2m", 1))
			w.hook(w.sends(chatA, line))
			if b = w.archived(chatB); want != loop.Cancelled {
				b = w.live(chatB)
			}
			if a := w.live(chatA); b.Status != want || a.Status != loop.Running {
				t.Errorf("got B %s, A %s", b.Status, a.Status)
			}
		})
	}
}

func encoded(t *testing.T, l loop.State) string {
	t.Helper()
	data, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The line with the short id of another chat's loop brings that loop here, as with its
// conversation id.
func TestTheLineBringsALoopByItsShortID(t *testing.T) {
	w := newWorld(t)
	w.write(w.pending(chatB), with("build it", fields{"id": "k7f2m"}))
	w.followup(w.stopEvent(chatB))
	w.write(w.places.Live(chatB), strings.Replace(encoded(t, w.live(chatB)), `"started_at": "2`, `"started_at": "1`, 1)) // long ago
	text, _ := w.hook(w.sends(chatA, "/ralph-loop --continue k7f2m"))["additional_context"].(string)
	if l := w.live(chatA); l.ID != "k7f2m" || !strings.Contains(text, "build it") {
		t.Errorf("got %s and %q", l.ID, text)
	}
}

// A loop that is pending or has ended is cursor-ralph's matter: the agent calls
// it.
func TestAControlNamesALoopThatDoesNotRun(t *testing.T) {
	w := newWorld(t).twoChats()
	w.write(w.pending("1790000000000-7"), seven("another task"))
	w.rests(w.event("stop", chatB, fields{"status": "aborted", "loop_count": 1}))
	for _, id := range []string{chatB, "1790000000000-7"} {
		w.rests(w.sends(chatA, "/cancel-ralph "+id))
	}
	if got := w.live(chatA).Status; got != loop.Running {
		t.Errorf("got %s", got)
	}
}
