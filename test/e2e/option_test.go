//go:build unix

package e2e_test

import (
	"os"
	"strings"
	"testing"
	"time"
)

// refusal plays a turn that ends with a promise and must not end the loop.
func (c *chat) refusal(words, why string) {
	c.Helper()
	c.says(words)
	c.wantPart("continuation", c.goesOn(), why)
}

const (
	notGiven = "you gave no completion promise"
	refused  = "Your promise was refused: "
	stuck    = "You seem to be stuck: "
)

// aborts is another chat of the same Cursor in which the user presses Stop: now
// it is known how this Cursor reports that.
func (c *chat) aborts() {
	c.Helper()
	other := c.chat()
	other.starts(`"something else"`)
	other.stops()
}

// forgotten makes a loop's last event one of long ago.
func (c *chat) forgotten(ago time.Duration) {
	c.Helper()
	then := time.Now().Add(-ago)
	c.change(c.record(c.ID), map[string]any{"last_event_at": then})
	journal := strings.TrimSuffix(c.live(c.ID), ".json") + ".journal"
	c.must(os.Chtimes(journal, then, then))
}

// Each of these fails when its option is ignored. The options are read by the
// prompt hook in the first variant and by the agent's call in the second.
func TestOptionsOfALoop(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		typed string
		play  func(c *chat)
	}{
		{"--max-iterations 2", func(c *chat) {
			c.plays(1)
			c.says("I'm done.")
			c.rests()
			c.wantStatus(c.ID, "MAX_ITERATIONS_REACHED", 2)
		}},
		{"--min-iterations 3", func(c *chat) {
			c.works()
			c.refusal(done, refused+"this is iteration 1 and the loop runs for at least 3")
			c.refusal(done, refused+"this is iteration 2 and the loop runs for at least 3")
			c.isAccepted(done, 3)
		}},
		{"--completion-promise 'ALL DONE (.*)'", func(c *chat) {
			c.works()
			c.refusal(done, `You promised "COMPLETE", but`)
			c.refusal("<promise>ALL DONE!</promise>", "output exactly\n<promise>ALL DONE (.*)</promise>\n")
			c.isAccepted("<promise>ALL DONE (.*)</promise>", 3)
		}},
		{"--promise-match exact", func(c *chat) {
			c.works()
			c.refusal("<promise>complete</promise>", `You promised "complete", but`)
			c.refusal("<promise> COMPLETE </promise>", `You promised " COMPLETE ", but`)
			c.refusal("COMPLETE", notGiven)
			c.isAccepted(done, 4)
		}},
		{"--promise-match lenient", func(c *chat) {
			c.works()
			c.refusal("complete", notGiven)
			c.isAccepted("So it is. <PROMISE>\n complete </promise>.", 2)
		}},
		{"--min-tool-calls 3", func(c *chat) {
			c.works()
			c.works()
			c.refusal(done, refused+"2 of the 3 tool calls")
			c.works()
			c.isAccepted(done, 2)
		}},
		{"--min-tool-calls 0", func(c *chat) {
			c.isAccepted(done, 1)
		}},
		{"--on-promise-no-work reject", func(c *chat) {
			c.refusal(done, refused+"0 of the 1 tool calls")
			c.stops()
		}},
		{"--on-promise-no-work warn", func(c *chat) {
			c.says(done)
			c.rests()
			l := c.wantStatus(c.ID, "PROMISE_ACCEPTED", 1)
			c.wantPart("reason", l.Reason, "accepted with a warning: 0 of the 1 tool calls")
			c.wantPart("history", c.ok(c.repo(), "history", c.ID), "accepted with a warning")
		}},
		{"--on-promise-no-work accept", func(c *chat) {
			c.says(done)
			c.rests()
			l := c.wantStatus(c.ID, "PROMISE_ACCEPTED", 1)
			c.wantNoPart("reason", l.Reason, "warning")
		}},
		{"--max-duration 1500ms", func(c *chat) {
			c.plays(1)
			c.runs("sleep 1.6")
			c.says("I'm done.")
			c.rests()
			l := c.wantStatus(c.ID, "MAX_DURATION_REACHED", 2)
			c.wantPart("reason", l.Reason, "the time limit of 1.5s is reached")
			c.wantPart("continue", c.declined("/ralph-loop --continue "+c.ID), "--max-duration")
			c.types("/ralph-loop --continue " + c.ID + " --max-duration 1h")
			c.follows()
			c.plays(1)
			c.stops()
		}},
		{"--verify 'test -e good'", func(c *chat) {
			c.works()
			c.refusal(done, refused+"`test -e good` failed with exit 1.")
			c.runs("touch good")
			c.isAccepted(done, 2)
		}},
		{"--verify 'sleep 20' --gate-timeout 300ms", func(c *chat) {
			c.works()
			c.refusal(done, refused+"the verification `sleep 20` did not succeed: it did not end within 300ms and was killed")
			c.stops()
		}},
		{"--struggle-pause 2", func(c *chat) {
			c.runs("true")
			c.goesOn()
			c.runs("true")
			c.rests()
			l := c.wantStatus(c.ID, "paused", 2)
			c.wantPart("reason", l.Reason, "STRUGGLING: 2 iterations")
		}},
		{"", func(c *chat) {
			c.plays(1)
			c.forgotten(time.Hour)
			c.wantPart("status", c.ok(c.repo(), "status", c.ID), "stalled")
			c.forgotten(25 * time.Hour)
			c.wantPart("list", c.ok(c.repo(), "list"), "stalled")
			c.wantPart("status", c.ok(c.repo(), "status", c.ID), "stalled, stale: it does not go on by itself")
			c.wantPart("chip", c.ok(c.repo(), "status", "--json", c.ID), "Loop • Stalled • Iter 2/20")
			c.rests()
			l := c.wantStatus(c.ID, "paused", 1)
			c.wantPart("reason", l.Reason, "no event for 1d 1h;")
			c.types("/ralph-loop --continue " + c.ID)
			c.follows()
			c.plays(1)
			c.stops()
		}},
		{"--max-iterations=7 --min-iterations 2 --completion-promise=X", func(c *chat) {
			c.works()
			c.refusal("<promise>X</promise>", "[Ralph loop 2/7]")
			c.says("<promise>X</promise>")
			c.rests()
		}},
	} {
		t.Run(tt.typed, func(t *testing.T) {
			each(t, without(few(), late), func(w *world) {
				c := w.chat()
				c.starts(`"make it green" ` + tt.typed)
				tt.play(c)
			})
		})
	}
}
