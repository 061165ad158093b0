//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
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
	each(t, bindings(), func(w *world) {
		c := running(w, `"make it green" --max-iterations 9 --completion-promise X`)
		c.plays(1)
		c.works()
		w.clear()
		c.says("A part.")
		c.rests()
		w.wantNoLoops()
		c.types("/ralph-loop --continue " + c.ID)
		out := c.follows()
		w.wantPart("continue", out, "[Ralph loop 3/9]")
		w.wantPart("continue", out, framed("make it green"))
		w.wantStatus(c.ID, "running", 2)
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

// The user continues in a terminal, while the chat is idle.
func TestALoopWhoseTmpWasClearedIsRestoredFromATerminal(t *testing.T) {
	once(t, func(w *world) {
		c := running(w, `"make it green"`)
		c.works()
		w.clear()
		c.rests()
		w.wantPart("continue", w.ok(w.repo(), "continue", c.ID), framed("make it green"))
		c.types("Go on.")
		c.goesOn()
		c.wantTask("make it green")
		c.stops()
	})
}

func TestACorruptStateFileIsMovedAside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, content string }{
		{"half a file", `{"prompt": "make it green", "max_iter`},
		{"empty", ``},
		{"not JSON", "\x00\xff\x01 hello"},
		{"no task", `{"prompt": "", "iterations": 3}`},
		{"another type", `{"prompt": ["make it green"]}`},
		{"an array", `[]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, few(), func(w *world) {
				w.troubles = []string{"is not a loop's state"}
				c := running(w, `"make it green"`)
				c.works()
				w.write(w.live(c.ID), tt.content)
				c.says("A part.")
				c.rests()
				aside, err := filepath.Glob(w.live(c.ID) + ".corrupt-*")
				w.must(err)
				if len(aside) != 1 {
					w.Fatalf("moved aside: got %q, want one file", aside)
				}
				if data, err := os.ReadFile(aside[0]); err != nil || string(data) != tt.content {
					w.Errorf("got %q, %v, want what was in the file", data, err)
				}
				w.wantPart("doctor", doctor(w), aside[0])
				w.wantPart("log", w.log(), filepath.Base(aside[0]))
				w.wantNoLoops()
				c.types("/ralph-loop --continue " + c.ID)
				w.wantPart("continue", c.follows(), framed("make it green"))
				c.works()
				c.goesOn()
				c.stops()
			})
		})
	}
}

// What a newer version has written is not touched.
func TestAStateFileOfANewerVersionIsLeftAlone(t *testing.T) {
	once(t, func(w *world) {
		w.troubles = []string{"written by a newer cursor-ralph"}
		c := running(w, `"make it green"`)
		w.change(w.live(c.ID), map[string]any{"version": 99, "prompt": []string{"new"}})
		before, err := os.ReadFile(w.live(c.ID))
		w.must(err)
		c.works()
		c.says(done)
		c.rests()
		after, err := os.ReadFile(w.live(c.ID))
		w.must(err)
		if string(before) != string(after) {
			w.Errorf("got %s, want %s", after, before)
		}
		w.wantPart("status", w.refused(w.repo(), "status", c.ID), "update cursor-ralph")
	})
}

// The folder of the locks may be gone and something else in its place: that
// must not break the editor, and not lose the loop.
func TestAFileInThePlaceOfOurFolderBreaksNothing(t *testing.T) {
	each(t, few(), func(w *world) {
		w.troubles = []string{"cursor-ralph-pending"}
		c := running(w, `"make it green"`)
		w.must(os.RemoveAll(w.pending()))
		w.write(w.pending(), "what is this?")
		c.works()
		c.says("A part.")
		c.rests()
		w.wantPart("doctor", doctor(w), w.pending())
		w.must(os.Remove(w.pending()))
		c.types("Go on.")
		c.goesOn()
		c.wantTask("make it green")
		c.stops()
	})
}

// A symbolic link where a file of ours should be is refused, and not followed.
func TestASymbolicLinkIsRefused(t *testing.T) {
	once(t, func(w *world) {
		w.troubles = []string{"is a symbolic link"}
		target := filepath.Join(w.home(), "target.json")
		w.write(target, seven)
		c := w.chat()
		w.must(os.Symlink(target, w.live(c.ID)))
		c.types("hello")
		c.works()
		c.says("hello")
		c.rests()
		w.must(os.Remove(w.live(c.ID)))
		w.must(os.MkdirAll(w.pending(), 0o700))
		w.must(os.Symlink(target, filepath.Join(w.pending(), c.ID+".json")))
		c.types("hello")
		c.rests()
		data, err := os.ReadFile(target)
		w.must(err)
		if string(data) != seven {
			w.Errorf("got %s, want it unchanged", data)
		}
	})
}

// A file that somebody writes piece by piece is claimed when it is whole.
func TestAHalfWrittenFileIsWaitedFor(t *testing.T) {
	once(t, func(w *world) {
		c := w.chat()
		head, rest, _ := strings.Cut(seven, "\n")
		c.types("Write the file slowly.")
		c.runs(`f="$CURSOR_RALPH_DIR/cursor-ralph-pending.json"; printf '%s' '` + head + `' >"$f"; (sleep 0.6; printf '%s' '` + rest + `' >>"$f") >/dev/null 2>&1 &`)
		c.goesOn()
		c.wantTask("make it green")
		c.stops()
	})
}

func TestAFileThatStaysHalfWrittenIsMovedAside(t *testing.T) {
	once(t, func(w *world) {
		w.troubles = []string{"is not a pending loop"}
		c := w.chat()
		w.write(filepath.Join(w.pending(), "1790000000000-77.json"), `{"prompt": "make it`)
		c.types("hello")
		c.rests()
		aside, err := filepath.Glob(filepath.Join(w.pending(), "1790000000000-77.json.corrupt-*"))
		w.must(err)
		if len(aside) != 1 {
			w.Errorf("moved aside: got %q, want one file", aside)
		}
		w.wantPart("doctor", doctor(w), "1790000000000-77.json.corrupt-")
	})
}

// A turn may take more than a day: its tool calls are heard.
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
