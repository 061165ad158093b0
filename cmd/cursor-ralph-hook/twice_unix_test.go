//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// Our hook may be installed in two places; Cursor then runs both at once, with
// the same event. What happened once must count once.

// rounds is how often a race is tried.
func rounds() int { return short.Times(2, 15) }

const me = "11111111-aaaa-4bbb-8ccc-000000000001"

// messages are the follow-ups among the answers.
func messages(answers []map[string]any) (texts []string) {
	for _, a := range answers {
		if text, ok := a["followup_message"].(string); ok && text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

func TestStopSeenTwiceCountsOnce(t *testing.T) {
	w := newWorld(t)
	w.write(w.pending(me), seven("the task"))
	for i := range rounds() {
		stop := w.event("stop", me, fields{"status": "completed", "loop_count": i % 4})
		if got := messages(w.together(stop, stop)); len(got) != 1 || !strings.Contains(got[0], "the task") {
			t.Fatalf("round %d: got %q, want one follow-up", i, got)
		}
		if got := w.live(me).Iterations; got != i+1 {
			t.Fatalf("round %d: got iteration %d", i, got)
		}
	}
	if got := w.log("action=claimed"); len(got) != 1 {
		t.Errorf("got %q, want one claim", got)
	}
	if got := w.log("action=error"); len(got) > 0 {
		t.Errorf("got %q, want no errors", got)
	}
}

func TestToolUseSeenTwiceCountsOnce(t *testing.T) {
	w := newWorld(t)
	w.write(w.pending(me), seven("the task"))
	for i := range rounds() {
		use := w.uses(me, fmt.Sprint("call-", i))
		w.together(use, use)
	}
	w.followup(w.stopEvent(me))
	if got := w.live(me); got.ToolCalls != rounds() || got.History[0].Tools["Write"] != rounds() {
		t.Errorf("got %d tool calls, want %d", got.ToolCalls, rounds())
	}
}

func TestAnswerSeenTwice(t *testing.T) {
	w := newWorld(t)
	w.write(w.pending(me), with("the task", fields{"min_iterations": 5}))
	text := w.says(me, "<promise>COMPLETE</promise>")
	w.together(text, text)
	if got := w.followup(w.stopEvent(me)); !strings.Contains(got, "refused") {
		t.Errorf("got %q, want that the promise was refused", got)
	}
	if got := w.followup(w.stopEvent(me)); strings.Contains(got, "refused") {
		t.Errorf("got %q, want the promise to be forgotten", got)
	}
}

func TestLoopArmedTwiceIsOneLoop(t *testing.T) {
	for i := range rounds() {
		w := newWorld(t)
		prompt := w.sends(me, `/ralph-loop "the task" --max-iterations 3`)
		for _, answer := range w.together(prompt, prompt, prompt) {
			if len(answer) != 0 {
				t.Errorf("round %d: got %v, want {}", i, answer)
			}
		}
		w.once("the task")
		w.rests(w.uses(me, "1"))
		w.once("the task")
		stop := w.stopEvent(me)
		if got := messages(w.together(stop, stop)); len(got) != 1 {
			t.Errorf("round %d: got %q, want one follow-up", i, got)
		}
		w.once("the task")
		w.rests(w.event("stop", me, fields{"status": "aborted", "loop_count": 1}))
		w.once("the task")
		w.rests(w.stopEvent(me))
		w.once("the task")
		if got := w.log("action=error"); len(got) > 0 {
			t.Fatalf("round %d: got %q, want no errors", i, got)
		}
	}
}

func TestReplacedTwiceIsReplacedOnce(t *testing.T) {
	for i := range rounds() {
		w := newWorld(t)
		w.write(w.pending(me), seven("the old one"))
		w.followup(w.stopEvent(me))
		prompt := w.sends(me, `/ralph-loop "the new one" --replace`)
		for _, answer := range w.together(prompt, prompt) {
			if len(answer) != 0 {
				t.Errorf("round %d: got %v, want {}", i, answer)
			}
		}
		if got := w.followup(w.stopEvent(me)); !strings.Contains(got, "the new one") {
			t.Errorf("round %d: got %q, want the new task", i, got)
		}
		w.once("the old one")
		w.once("the new one")
		if got := w.log("action=error"); len(got) > 0 {
			t.Fatalf("round %d: got %q, want no errors", i, got)
		}
	}
}

func TestControlsGivenTwice(t *testing.T) {
	w := newWorld(t)
	w.write(w.pending(me), seven("the task"))
	w.followup(w.stopEvent(me))
	control := func(line, want string) {
		t.Helper()
		prompt := w.sends(me, line)
		answers := w.together(prompt, prompt)
		for _, a := range answers {
			if text, _ := a["user_message"].(string); a["continue"] != false || !strings.Contains(text, want) {
				t.Errorf("%s: got %v, want it kept back with %q", line, a, want)
			}
		}
	}
	control("/ralph-pause", "pauses")
	if got := w.live(me); got.Status != loop.Paused {
		t.Errorf("got %s, want it paused", got.Status)
	}
	w.logged("event=beforeSubmitPrompt iteration=2/") // the iteration in progress, as cursor-ralph pause logs it
	control("/ralph-resume", "goes on")
	control("/ralph-context mind the gap", "next continuation")
	if got := w.live(me); !slices.Equal(got.Context, []string{"mind the gap"}) || got.Status != loop.Running {
		t.Errorf("got %q and %s, want the context once", got.Context, got.Status)
	}
	control("/ralph-status", "Iter 2/20")
	w.hook(w.sends(me, "/cancel-ralph"))
	for range rounds() {
		w.write(w.pending(me), seven("another task"))
		w.rests(w.sends(me, "hello"))
		prompt := w.sends(me, "/cancel-ralph")
		if got := w.together(prompt, prompt); got[0]["continue"] != false && got[1]["continue"] != false {
			t.Errorf("got %v, want it kept back", got)
		}
		if got := w.archived(me); got.Status != loop.Cancelled || w.exists(w.places.Live(me)) {
			t.Errorf("got %s, want it cancelled", got.Status)
		}
		w.rests(w.stopEvent(me))
		if w.exists(w.places.Live(me)) {
			w.must(os.Remove(w.places.Live(me)))
			t.Error("another loop was claimed")
		}
	}
	if got := w.log("action=error"); len(got) > 0 {
		t.Errorf("got %q, want no errors", got)
	}
}

// TestStopThatEndedALoopClaimsNoOther: the second copy finds a chat without a
// loop, and a pending file that waits.
func TestStopThatEndedALoopClaimsNoOther(t *testing.T) {
	for i := range rounds() {
		w := newWorld(t)
		w.write(w.pending(me), with("the first", fields{"last_output": "COMPLETE", "min_tool_calls": 0}))
		w.write(w.pending("1700000000000-7"), seven("the second"))
		stop := w.stopEvent(me)
		if got := messages(w.together(stop, stop, stop)); len(got) > 0 {
			t.Errorf("round %d: got %q, want none", i, got)
		}
		if got := w.archived(me); got.Prompt != "the first" || got.Status != loop.PromiseAccepted {
			t.Errorf("round %d: got %q, %s", i, got.Prompt, got.Status)
		}
		if !w.exists(w.pending("1700000000000-7")) {
			t.Fatalf("round %d: the second loop was claimed, too", i)
		}
	}
}

// TestCopyThatComesInTheMiddle holds the loop's lock while a copy of the stop
// waits for it, and ends the loop meanwhile.
func TestCopyThatComesInTheMiddle(t *testing.T) {
	w := newWorld(t)
	w.write(w.pending(me), with("the first", fields{"last_output": "COMPLETE", "min_tool_calls": 0}))
	w.rests(w.stopEvent(me)) // which ends it, and shows the record
	first := w.archived(me)
	w.must(os.Remove(w.record(me)))
	w.write(w.pending("1700000000000-7"), seven("the second"))

	release := w.lockAll()
	p := w.start(w.event("stop", me, fields{"status": "completed", "loop_count": 0, "generation_id": first.LastStop.Generation}))
	time.Sleep(300 * time.Millisecond) // the hook waits for a lock, which shows in no file to wait for
	first.LastStop.At = time.Now()
	data, err := first.Encode()
	w.must(err)
	w.write(w.record(me), string(data))
	release()
	if got := p.answer(); len(got) != 0 {
		t.Errorf("got %v, want {}", got)
	}
	if !w.exists(w.pending("1700000000000-7")) {
		t.Error("the stop that ended a loop claimed another one")
	}
}

// lockAll takes the locks of all loops.
func (w world) lockAll() (release func()) {
	w.Helper()
	locks, err := filepath.Glob(filepath.Join(w.places.Pending(), ".loop-*.lock"))
	w.must(err)
	if len(locks) == 0 {
		w.Fatal("there is no lock yet")
	}
	var releases []func() error
	for _, path := range locks {
		release, err := lock(path)
		w.must(err)
		releases = append(releases, release)
	}
	return func() {
		for _, release := range releases {
			w.must(release())
		}
	}
}

func TestBoundTwiceIsOneLoop(t *testing.T) {
	for i := range rounds() {
		w := newWorld(t)
		token := "1700000000000-7:secret"
		w.write(w.pending("1700000000000-7"), with("the task", fields{"token": token, "workspace": w.workspace}))
		output := "cursor-ralph-token: " + token + "\nThe task"
		after := w.event("afterShellExecution", me, fields{"command": "cursor-ralph slash ralph-loop", "output": output})
		post := w.event("postToolUse", me, fields{"tool_name": "Shell", "tool_use_id": "1",
			"tool_input": fields{"command": "cursor-ralph slash ralph-loop"}, "tool_output": output})
		for _, a := range w.together(after, post, after, post) {
			if len(a) != 0 {
				t.Errorf("got %v, want {}", a)
			}
		}
		w.once("the task")
		if got := w.followup(w.stopEvent(me)); !strings.Contains(got, "the task") {
			t.Errorf("round %d: got %q, want the task", i, got)
		}
		w.once("the task")
		if got := w.live(me).Notices; len(got) > 0 {
			t.Errorf("round %d: got the notices %q, want none", i, got)
		}
		if got := w.log("action=error"); len(got) > 0 {
			t.Fatalf("round %d: got %q, want no errors", i, got)
		}
	}
}

func TestSecondLoopRefusedTwice(t *testing.T) {
	for i := range rounds() {
		w := newWorld(t)
		w.write(w.pending(me), seven("the first"))
		w.followup(w.stopEvent(me))
		token := "1700000000000-7:secret"
		w.write(w.pending("1700000000000-7"), with("the second", fields{"token": token, "workspace": w.workspace}))
		post := w.event("postToolUse", me, fields{"tool_name": "Shell", "tool_use_id": "1",
			"tool_input": fields{"command": "cursor-ralph slash ralph-loop"}, "tool_output": "cursor-ralph-token: " + token})
		w.together(post, post)
		got := w.followup(w.stopEvent(me))
		if !strings.Contains(got, "the first") || strings.Count(got, "A second loop was asked for") != 1 {
			t.Errorf("round %d: got %q, want the first task and one notice", i, got)
		}
		w.once("the first")
		w.once("the second")
		if _, _, over := w.count("the second"); over != 1 {
			t.Errorf("round %d: the second loop is not in the archive", i)
		}
		if got := w.log("action=error"); len(got) > 0 {
			t.Fatalf("round %d: got %q, want no errors", i, got)
		}
	}
}
