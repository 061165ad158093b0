//go:build unix

package e2e_test

import (
	"fmt"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// The prompt that asks for a loop may come before the stop of the turn that it
// interrupts or follows. That stop, and what was said in that turn, do not count for
// the loop's. Where nothing tells the turns apart, a stop that was aborted is the user's,
// and wins.
func TestALoopThatIsAskedForBeforeTheLastTurnHasStopped(t *testing.T) {
	var variants []variant
	for ahead, how := range map[simcursor.Ahead]string{simcursor.AheadAborted: "aborted", simcursor.AheadCompleted: "completed"} {
		for _, constant := range []bool{false, true} {
			if constant && ahead == simcursor.AheadAborted {
				continue
			}
			set := func(o *simcursor.Options) { o.Ahead, o.ConstantGeneration = ahead, constant }
			variants = append(variants, option(fmt.Sprintf("%s, constant generation %v", how, constant), set))
		}
	}
	each(t, variants, func(w *world) {
		c := w.chat()
		c.types("hello")
		c.typesAhead(`/ralph-loop "make it green" --min-tool-calls 0`)
		if c.Ahead == simcursor.AheadCompleted {
			c.says("I know how such loops end: " + done)
			c.begin(nil)
		}
		c.next()
		if c.turn == nil || c.turn.Followup {
			w.Fatalf("got %+v, want the turn of the message", c.turn)
		}
		c.runs(c.handOver())
		c.works()
		w.wantPart("continuation", c.goesOn(), "[Ralph loop 2/20]")
		c.wantTask("make it green")
		w.wantStatus(c.ID, "running", 1)
		c.stops()
	})
}
