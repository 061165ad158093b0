//go:build unix

package e2e_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

const done = "<promise>COMPLETE</promise>"

// TestALoopGoesOnUntilItsPromise is the acceptance loop, on every variant: the
// first turn ends without the promise and the agent is reminded; the promise in
// the last of several messages ends the loop and leaves nothing but the log.
func TestALoopGoesOnUntilItsPromise(t *testing.T) {
	each(t, everything(), func(w *world) {
		c := w.chat()
		c.starts(`"make it green" --max-iterations 9`)
		c.works()
		c.says("I'm done. COMPLETE. Everything is finished.")
		text := c.goesOn()
		w.wantPart("reminder", text, "[Ralph loop 2/9] You stopped, but you gave no completion promise")
		w.wantPart("marker", text, "output exactly\n"+done+"\n")
		w.wantPart("progress", text, "Record progress: "+c.told("note"))
		w.wantPart("way out", text, c.told("blocked"))
		c.wantTask("make it green")
		w.wantStatus(c.ID, "running", 1)
		c.says("I go on.")
		c.works()
		c.says("```\n" + done + "\n```")
		c.concludes()
		l := w.wantStatus(c.ID, "PROMISE_ACCEPTED", len(c.Messages()))
		want := 2
		if w.StripComments && !w.AgentSeesID { // the first stop claims the loop: until then nobody knows whose calls they are
			want = 1
		}
		if l.ToolCalls != want {
			w.Errorf("got %d tool calls, want %d: %v", l.ToolCalls, want, l.History)
		}
		w.wantNoLoops()
		ofEnded := func(name string) bool { return strings.HasPrefix(name, "cursor-ralph-loop-"+c.ID) } // for a minute
		if files := slices.DeleteFunc(w.files(), ofEnded); len(files) != 1 {
			w.Errorf("left over: %q, want only the log", files)
		}
	})
}

func TestALoopWithoutAPromiseEndsAtItsLimitWithASummary(t *testing.T) {
	each(t, few(), func(w *world) {
		c := w.chat()
		c.starts(`"make it green" --max-iterations 3`)
		for range 3 {
			c.works()
			c.does(func(t *simcursor.Turn) { _ = t.FailTool("Fetch", nil, "the database is down\ntrace") })
			c.notes("two of three parts COMPLETE")
			c.says("I'm done.")
			c.ends()
		}
		if c.turn != nil {
			w.Fatalf("the agent was sent %q after the limit", c.turn.Message)
		}
		l := w.wantStatus(c.ID, "MAX_ITERATIONS_REACHED", 3)
		for _, part := range []string{"the limit of 3 iterations is reached", "6 tool calls", "never given", "the database is down", "two of three parts"} {
			w.wantPart("reason", l.Reason, part)
		}
		history := w.ok(w.repo(), "history", c.ID)
		w.wantPart("history", history, "Fetch 1, Write 1")
		w.wantPart("history", history, "MAX_ITERATIONS_REACHED: the limit of 3 iterations is reached")
		w.wantPart("status", w.ok(w.repo(), "status", c.ID), "blockers seen: the database is down")
		if len(l.History) != 3 {
			w.Errorf("got %d iterations in the history, want 3", len(l.History))
		}
	})
}

func TestAPromiseWithoutWorkIsRefusedWithTheReason(t *testing.T) {
	each(t, append(few(), replies()...), func(w *world) {
		c := w.chat()
		c.starts(`"make it green"`)
		c.says("That was easy. " + done)
		text := c.goesOn()
		if late(w.variant) && !strings.Contains(text, "refused") { // the words came after the stop
			c.says("Hm.")
			text = c.goesOn()
		}
		w.wantPart("continuation", text, "Your promise was refused: 0 of the 1 tool calls that a promise needs were made")
		c.wantTask("make it green")
		c.works()
		c.says("Now I did something.")
		text = c.goesOn()
		w.wantPart("the refused promise does not count again", text, "You stopped, but you gave no completion promise")
		c.says(done)
		c.concludes()
		l := w.status(c.ID)
		if l.Status != "PROMISE_ACCEPTED" || l.ToolCalls != 1 {
			w.Errorf("got %s with %d tool calls, want PROMISE_ACCEPTED with 1", l.Status, l.ToolCalls)
		}
	})
}

func TestAPromiseInTheFirstOfSeveralMessagesIsSeen(t *testing.T) {
	lastOnly := func(v variant) bool { return v.Responses == simcursor.LastOnly } // it is invisible there
	each(t, without(append(few(), replies()...), lastOnly), func(w *world) {
		c := w.chat()
		c.starts(`"make it green"`)
		c.works()
		c.says("It is green.\n" + done)
		c.works()
		c.says("I have cleaned up, too.")
		c.says("Tell me if you need more.")
		c.concludes()
		w.wantStatus(c.ID, "PROMISE_ACCEPTED", len(c.Messages()))
	})
}

func TestAPromiseInTheLastIterationIsSeenBeforeTheLimit(t *testing.T) {
	each(t, append(few(), replies()...), func(w *world) {
		c := running(w, `"make it green" --max-iterations 2`)
		c.works()
		c.isAccepted("All is green. "+done, 2)
	})
}
