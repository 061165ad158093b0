//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// of is an event of a generation; Cursor's published runtime sends the
// conversation's id to all.
func (w world) of(generation, name string, more fields) string {
	w.Helper()
	more["generation_id"] = generation
	return w.event(name, me, more)
}

func (w world) stopOf(generation, status string) string {
	w.Helper()
	return w.of(generation, "stop", fields{"status": status, "loop_count": 0})
}

func (w world) saysIn(generation, text string) string {
	w.Helper()
	return w.of(generation, "afterAgentResponse", fields{"text": text})
}

func (w world) sendsIn(generation, text string) string {
	w.Helper()
	return w.of(generation, "beforeSubmitPrompt", fields{"prompt": text, "attachments": []any{}})
}

func (w world) usesIn(generation, call string) string {
	w.Helper()
	return w.of(generation, "postToolUse", fields{"tool_name": "Write", "tool_input": fields{"path": "x"}, "tool_output": "ok", "tool_use_id": call})
}

// The stop of the turn before may come after the prompt that asks for a loop.
func TestAStopOfTheTurnBeforeTheLoop(t *testing.T) {
	for name, arm := range map[string]func(w world){
		"by a prompt":  func(w world) { w.rests(w.sendsIn("new", `/ralph-loop "the task" --min-tool-calls 0`)) },
		"by loop mode": func(w world) { w.modeOn(w.workspace, 20); w.hook(w.sendsIn("new", "the task")) },
		"in the place of another": func(w world) {
			w.rests(w.sendsIn("first", `/ralph-loop "the first"`))
			w.rests(w.usesIn("first", "0"))
			w.rests(w.sendsIn("new", `/ralph-loop "the task" --replace`))
		},
	} {
		for _, status := range []string{"completed", "aborted", "error"} {
			t.Run(name+", "+status, func(t *testing.T) {
				w := newWorld(t)
				arm(w)
				w.rests(w.usesIn("old", "1"))
				w.rests(w.saysIn("old", promise))
				old := w.stopOf("old", status)
				for _, answer := range w.together(old, old) {
					if len(answer) > 0 {
						t.Errorf("got %v, want nothing", answer)
					}
				}
				w.rests(w.usesIn("new", "2"))
				if got := w.followup(w.stopOf("new", "completed")); !strings.Contains(got, "[Ralph loop 2/20] You stopped, but") {
					t.Errorf("got %q, want the second iteration", got)
				}
				if l := w.live(me); l.Prompt != "the task" || l.Iterations != 1 || l.ToolCalls != 1 {
					t.Errorf("got %q, %d iterations, %d tool calls", l.Prompt, l.Iterations, l.ToolCalls)
				}
				w.once("the task")
			})
		}
	}
}

// A plan loop that is continued, paused and continued again goes on.
func TestAPlanLoopIsContinuedTwiceWithoutAGeneration(t *testing.T) {
	w := newWorld(t)
	w.rests(w.sendsIn(me, `/ralph-loop "the task" --plan`))
	w.rests(w.usesIn(me, "1"))
	w.followup(w.stopOf(me, "completed"))
	line := loop.ContinueLine(me)
	call := func() string {
		answer := w.hook(w.of(me, "preToolUse", fields{"tool_name": "Shell", "tool_input": fields{"command": "cursor-ralph continue " + me}, "tool_use_id": "c"}), "--plan-guard")
		text, _ := answer["agent_message"].(string)
		return text
	}
	for i := range 3 {
		w.hook(w.sendsIn(me, "/ralph-pause"))
		w.rests(w.stopOf(me, "completed"))
		l := w.live(me)
		l.Injection.ClosedAt = time.Time{} // the pause is long ago
		data, err := l.Encode()
		w.must(err)
		w.must(os.WriteFile(w.places.Live(me), data, 0o600))
		if got, _ := w.hook(w.sendsIn(me, line))["additional_context"].(string); !strings.Contains(got, "[Ralph loop 2/20]") {
			t.Errorf("round %d: the raw line was answered %q", i, got)
		}
		if got := call(); !strings.Contains(got, "[Ralph loop 2/20]") {
			t.Errorf("round %d: got %q", i, got)
		}
		if got := w.live(me); got.Status != loop.Running {
			t.Fatalf("round %d: got %s, want it running", i, got.Status)
		}
	}
}

// A user who sends the line a second time is still in the loop's chat: the stop
// of that second turn is the loop's, even though its generation is a new one.
func TestTheLineSentTwice(t *testing.T) {
	for name, between := range map[string]func(w world){
		"before the claim": func(world) {},
		"after the claim":  func(w world) { w.rests(w.usesIn("first", "0")) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.rests(w.sendsIn("first", `/ralph-loop "the task"`))
			between(w)
			w.rests(w.sendsIn("second", `/ralph-loop "the task"`))
			w.rests(w.usesIn("second", "1"))
			if got := w.followup(w.stopOf("second", "completed")); !strings.Contains(got, "[Ralph loop 2/20]") {
				t.Errorf("got %q, want the second iteration", got)
			}
			w.once("the task")
		})
	}
}

// The same where the first report was killed before it ended the old loop.
func TestAReplacementSentTwice(t *testing.T) {
	w := newWorld(t)
	w.rests(w.sendsIn("old", `/ralph-loop "the old task"`))
	w.rests(w.usesIn("old", "0"))
	w.write(w.pending(me), `{"prompt": "the task", "max_iterations": 20, "completion_promise": "COMPLETE", "armed_by": "prompt", "asked_in": "first", "conversation_id": "`+me+`"}`)
	w.rests(w.sendsIn("second", `/ralph-loop "the task" --replace`))
	w.rests(w.usesIn("second", "1"))
	if got := w.followup(w.stopOf("second", "completed")); !strings.Contains(got, "[Ralph loop 2/20]") {
		t.Errorf("got %q, want the second iteration", got)
	}
}
