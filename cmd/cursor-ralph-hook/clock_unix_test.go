//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// at runs a hook in the test itself, at a time of the test's, and returns its
// answer.
func (w world) at(now time.Time, event string) map[string]any {
	w.Helper()
	var out bytes.Buffer
	run([]string{"--session-limit", "none"}, strings.NewReader(event), &out, w.getenv, func() time.Time { return now })
	var answer map[string]any
	w.must(json.Unmarshal(out.Bytes(), &answer))
	return answer
}

// jumps are how far a clock is set, forward and back.
func jumps(from time.Time) map[string]time.Duration {
	return map[string]time.Duration{
		"a second back":   -time.Second,
		"an hour forward": time.Hour,
		"a year back":     -365 * 24 * time.Hour,
		"back to 1970":    time.Unix(1, 0).Sub(from),
	}
}

// TestClockJumpsBetweenEvents sets the clock before one of a loop's events: for
// that one alone, or for all that follow. Files keep the time of the kernel.
func TestClockJumpsBetweenEvents(t *testing.T) {
	const task, next = "the task", "the next task"
	steps := []struct {
		event func(w world) string
		goes  bool // the agent is brought back
	}{
		{func(w world) string { return w.sends(me, `/ralph-loop "`+task+`"`) }, false},
		{func(w world) string { return w.stopEvent(me) }, true},
		{func(w world) string { return w.uses(me, "1") }, false},
		{func(w world) string { return w.stopEvent(me) }, true},
		{func(w world) string { return w.says(me, promise) }, false},
		{func(w world) string { return w.stopEvent(me) }, false},
		{func(w world) string { return w.sends(me, `/ralph-loop "`+next+`"`) }, false},
		{func(w world) string { return w.stopEvent(me) }, true},
	}
	const ended = 5 // the step that ends the first loop
	for name, jump := range jumps(time.Now()) {
		for set := range short.First(steps, 1) {
			for _, stays := range short.First([]bool{false, true}, 1) {
				t.Run(fmt.Sprintf("%s before step %d, stays %v", name, set, stays), func(t *testing.T) {
					w := newWorld(t)
					clock := time.Now()
					for n, step := range steps {
						clock = clock.Add(10 * time.Millisecond)
						now := clock
						if n == set || n > set && stays {
							now = clock.Add(jump)
						}
						text, _ := w.at(now, step.event(w))["followup_message"].(string)
						if goes := text != ""; goes != step.goes {
							t.Fatalf("step %d: got %.60q, want that the agent goes on: %v", n, text, step.goes)
						}
						w.once(task)
						if n == ended {
							w.finished(task)
						}
					}
					w.once(next)
					if got := w.live(me); got.Prompt != next || got.Iterations != 1 {
						t.Errorf("got %q, iteration %d, want the next task", got.Prompt, got.Iterations)
					}
				})
			}
		}
	}
}

// finished checks the record of the loop whose promise was accepted.
func (w world) finished(task string) {
	w.Helper()
	l := w.archived(me)
	if l.Prompt != task || l.Status != loop.PromiseAccepted || l.Iterations != 3 || l.ToolCalls != 1 || len(l.History) != 3 {
		w.Errorf("got %q, %s, iteration %d, %d tool calls, %d records", l.Prompt, l.Status, l.Iterations, l.ToolCalls, len(l.History))
	}
	for _, i := range l.History {
		if i.Seconds < 0 {
			w.Errorf("iteration %d: got %v seconds", i.Number, i.Seconds)
		}
	}
}

// TestSameLineAfterTheClockWasSetBack: it is no second report of one message.
func TestSameLineAfterTheClockWasSetBack(t *testing.T) {
	w := newWorld(t)
	now := time.Now()
	w.at(now, w.sends(me, `/ralph-loop "the task"`))
	w.at(now, w.stopEvent(me))
	if got := w.at(now.Add(-time.Hour), w.sends(me, `/ralph-loop "the task"`)); got["continue"] != false {
		t.Errorf("got %v, want that a loop runs already", got)
	}
}

// TestPendingFilesOfAnotherTime: the newest is claimed, by the files' times and
// not by their names; what seems too old waits until the clock is right again.
func TestPendingFilesOfAnotherTime(t *testing.T) {
	for name, tt := range map[string]struct {
		first, second time.Duration // the files' ages
		want          string
	}{
		"one from the future":     {time.Minute, -365 * 24 * time.Hour, "second"},
		"both from the future":    {-2 * time.Hour, -time.Hour, "first"},
		"one that seems too old":  {365 * 24 * time.Hour, time.Minute, "second"},
		"both seem too old":       {365 * 24 * time.Hour, 364 * 24 * time.Hour, ""},
		"one from 1970, as it is": {time.Since(time.Unix(1, 0)), time.Minute, "second"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			now := time.Now()
			for file, age := range map[string]time.Duration{"first": tt.first, "second": tt.second} {
				path := w.pending(map[string]string{"first": "1700000000000-1", "second": "1600000000000-2"}[file])
				w.write(path, seven(file))
				w.must(os.Chtimes(path, now.Add(-age), now.Add(-age)))
			}
			got := w.at(now, w.stopEvent(me))
			if text, _ := got["followup_message"].(string); tt.want == "" && text != "" || !strings.Contains(text, tt.want) {
				t.Errorf("got %.80q, want the %s", text, tt.want)
			}
			w.once("first")
			w.once("second")
			if text, _ := w.at(now.Add(-max(tt.first, tt.second)), w.event("stop", "another", fields{"status": "completed", "loop_count": 0}))["followup_message"].(string); text == "" {
				t.Error("got nothing when the clock was set back, want the other one")
			}
		})
	}
}
