//go:build unix

package e2e_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

func TestPauseTakesEffectAtTheNextStop(t *testing.T) {
	each(t, few(), func(w *world) {
		c := running(w, `"make it green"`)
		w.wantPart("pause", w.ok(w.repo(), "pause"), "next stop")
		c.works()
		c.says("A part. " + done)
		c.rests()
		w.wantStatus(c.ID, "paused", 1)
		c.types("hello")
		c.rests()
		out := w.ok(w.repo(), "resume")
		w.wantPart("resume", out, "/ralph-loop --continue "+c.ID)
		w.wantStatus(c.ID, "waiting", 1)
		w.wantPart("resume again", w.ok(w.repo(), "resume"), "/ralph-loop --continue "+c.ID)
		out = c.declined("/ralph-loop --continue " + c.ID) // the promise given while it was paused counts now
		w.wantPart("continue", out, "its promise was accepted")
	})
}

func TestANoteDoesNotEndTheLoopByTheBareWord(t *testing.T) {
	each(t, few(), func(w *world) {
		c := running(w, `"make it green"`)
		c.works()
		c.notes("Phase 1 COMPLETE")
		c.goesOn()
		if l := w.status(c.ID); l.LastOutput != "Phase 1 COMPLETE" {
			w.Errorf("got the progress %q", l.LastOutput)
		}
		w.wantPart("status", w.ok(w.repo(), "status"), "Phase 1 COMPLETE")
		c.notes("COMPLETE")
		c.goesOn()
		c.notes("it is so: " + done)
		c.rests()
		w.wantStatus(c.ID, "PROMISE_ACCEPTED", 4)
	})
}

func TestBlockedEndsTheLoop(t *testing.T) {
	each(t, few(), func(w *world) {
		c := running(w, `"make it green"`)
		w.wantPart("blocked", c.runs(c.told("blocked")+`"the API key is missing"`), "BLOCKED")
		c.says("I am blocked.")
		c.rests()
		l := w.wantStatus(c.ID, "BLOCKED", 1)
		w.wantPart("reason", l.Reason, "the API key is missing")
		w.wantNoLoops()
		c.types("Here is the key. Go on.")
		c.rests()
		c.types("/ralph-loop --continue " + c.ID)
		w.wantPart("continue", c.follows(), framed("make it green"))
		c.works()
		w.wantPart("continuation", c.goesOn(), "[Ralph loop 3/20]")
		c.stops()
	})
}

func TestAStoppedLoopCanBeTakenUpAgain(t *testing.T) {
	each(t, few(), func(w *world) {
		c := running(w, `"make it green"`)
		c.stops()
		c.types("/ralph-loop --continue " + c.ID)
		w.wantPart("continue", c.follows(), "[Ralph loop 2/20]")
		c.works()
		c.goesOn()
		w.wantStatus(c.ID, "running", 2)
		c.works()
		c.says(done)
		c.concludes()
		w.wantPart("continue", c.declined("/ralph-loop --continue "+c.ID), "its promise was accepted")
	})
}

// The agents of two chats in one workspace record their progress as they are
// told to.
func TestANoteGoesToTheLoopOfItsChat(t *testing.T) {
	each(t, controls(), func(w *world) {
		a, b := running(w, `"make it green"`), running(w, `"make it blue"`)
		a.notes("green progress")
		b.notes("blue progress")
		for c, want := range map[*chat]string{a: "green progress", b: "blue progress"} {
			if l := w.status(c.ID); l.LastOutput != want {
				w.Errorf("got the progress %q, want %q", l.LastOutput, want)
			}
			c.stops()
		}
	})
}

// An agent's shell may stand anywhere in the workspace, and the workspace may
// be a part of a repository.
func TestANoteFindsItsLoopFromAnyFolder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, workspace, mark, from string }{
		{"a folder of the workspace", "code/repo", "", "sub/dir"},
		{"the workspace is a part of a repository", "code/whole/part", "code/whole/.git", "."},
		{"a folder of a part of a repository", "code/whole/part", "code/whole/.git", "sub"},
		{"a repository in the workspace", "code/repo", "code/repo/sub/.git", "sub"},
		{"the workspace is the home", ".", "", "code"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, few()[:1], func(w *world) {
				workspace := filepath.Join(w.home(), tt.workspace)
				w.write(filepath.Join(workspace, tt.from, "file"), "")
				if tt.mark != "" {
					w.write(filepath.Join(w.home(), tt.mark, "HEAD"), "")
				}
				c := w.chatIn(workspace)
				out := c.starts(`"make it green"`)
				if !w.ExpandCommands {
					w.wantPart("slash", out, "The loop is armed already")
				}
				c.works()
				c.goesOn()
				c.runs("cd " + tt.from + " && " + c.program() + ` note "so far"`)
				if l := w.status(c.ID); l.LastOutput != "so far" {
					w.Errorf("got the progress %q", l.LastOutput)
				}
				w.ok(filepath.Join(workspace, tt.from), "pause")
				c.rests()
				w.wantStatus(c.ID, "paused", 1)
			})
		})
	}
}

// What the user can ask from a terminal while the agent works.
func TestTheDoorsAreOpenWhileATurnRuns(t *testing.T) {
	each(t, few(), func(w *world) {
		c := running(w, `"make it green" --max-iterations 9`)
		c.begin(func(t *simcursor.Turn) { t.Shell("touch begun; while [ ! -e go ]; do sleep 0.01; done") })
		w.waitFor(filepath.Join(w.repo(), "begun"))
		out := w.ok(w.repo(), "status")
		for _, part := range []string{c.ID, "running", "2 of 9", "COMPLETE (exact, anywhere)", "~/code/repo", "make it green", "last event", "ago"} {
			w.wantPart("status", out, part)
		}
		if line := w.ok(w.repo(), "status", "--line"); line != "Loop • Running • Iter 2/9\n" {
			w.Errorf("got the line %q", line)
		}
		var list []map[string]any
		w.must(json.Unmarshal([]byte(w.ok(w.repo(), "list", "--json")), &list))
		if len(list) != 1 || list[0]["conversation_id"] != c.ID || list[0]["iterations"] != 1.0 || list[0]["prompt"] != "make it green" {
			w.Errorf("got the list %v", list)
		}
		var history []iteration
		w.must(json.Unmarshal([]byte(w.ok(w.repo(), "history", "--json")), &history))
		if len(history) != 1 || history[0].Number != 1 || history[0].Promise != "none" || history[0].Tools["Write"] != 1 {
			w.Errorf("got the history %v", history)
		}
		w.wantPart("history", w.ok(w.repo(), "history"), "Write 1")
		out = w.ok(w.repo(), "log", c.ID)
		w.wantPart("log", out, "event=stop iteration=1/9 promise=none action=followup")
		w.wantPart("status elsewhere", w.ok(w.home(), "status", c.ID), "running")
		if line := w.ok(w.tmp(), "status", "--line"); line != "" {
			w.Errorf("got the line %q in a folder without a loop", line)
		}
		w.wantPart("unknown id", w.refused(w.repo(), "status", "3f2a"), "there is no loop 3f2a")
		w.write(filepath.Join(w.repo(), "go"), "")
		c.finish()
		c.goesOn()
		c.stops()
	})
}
