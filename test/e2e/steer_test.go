//go:build unix

package e2e_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

func TestPauseTakesEffectAtTheNextStop(t *testing.T) {
	each(t, few(), func(w *world) {
		c := running(w, `"make it green"`)
		w.wantPart("pause", w.ok(w.repo(), "pause"), "next stop")
		c.works()
		c.says("A part.")
		c.rests()
		w.wantStatus(c.ID, "paused", 1)
		c.types("hello")
		c.rests()
		out := w.ok(w.repo(), "resume")
		w.wantPart("resume", out, c.line())
		w.wantStatus(c.ID, "waiting", 1)
		w.wantPart("resume again", w.ok(w.repo(), "resume"), c.line())
		if late(w.variant) {
			return // words that come after a stop that pauses are not looked at again
		}
		c.types("/ralph-loop --continue " + c.ID)
		c.follows()
		c.works()
		w.ok(w.repo(), "pause")
		c.says("All of it. " + done)
		c.rests()
		w.wantPart("resume", w.ok(w.repo(), "resume"), "was accepted") // what was promised while it was paused counts now
		w.wantStatus(c.ID, "PROMISE_ACCEPTED", 2)
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

// What the user can ask from a terminal while the agent works.
func TestTheDoorsAreOpenWhileATurnRuns(t *testing.T) {
	each(t, few(), func(w *world) {
		c := running(w, `"make it green" --max-iterations 9`)
		c.begin(func(t *simcursor.Turn) { t.Shell("touch begun; while [ ! -e go ]; do sleep 0.01; done") })
		w.waitFor(filepath.Join(w.repo(), "begun"))
		out := w.ok(w.repo(), "status")
		for _, part := range []string{w.shortID(c.ID), "running", "2 of 9", "COMPLETE (exact)", "~/code/repo", "make it green", "last event", "ago"} {
			w.wantPart("status", out, part)
		}
		w.wantPart("chip", w.ok(w.repo(), "status", "--json"), `"chip": "Loop • Running • Iter 2/9"`)
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
		out = w.ok(w.repo(), "log", "--raw", c.ID)
		w.wantPart("log", out, "event=stop iteration=1/9 promise=none action=followup")
		w.wantPart("status elsewhere", w.ok(w.home(), "status", c.ID), "running")
		w.wantPart("unknown id", w.refused(w.repo(), "status", "3f2a"), "there is no loop 3f2a")
		w.write(filepath.Join(w.repo(), "go"), "")
		c.finish()
		c.goesOn()
		c.stops()
	})
}
