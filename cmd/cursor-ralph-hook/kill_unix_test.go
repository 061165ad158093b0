//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// kills are so many as the specification asks for.
const (
	kills      = 1000
	killers    = 4                    // at a time
	latestKill = 4 * time.Millisecond // at least; a busy machine gets as long as a hook takes
)

// killing is a chat in which a hook is killed.
type killing struct {
	world
	id     string
	number int // of the loop, where there are several
	tally  *tally
	kill   func(event string) (killed bool) // how
}

// tally is what is told at the end, and how long a hook takes at present.
type tally struct{ struck, killed, next, taking atomic.Int64 }

func (k *killing) task() string { return fmt.Sprintf("(task %d of %s)", k.number, k.id) }

// strike runs a hook that is killed.
func (k *killing) strike(event string) {
	if k.kill(event) {
		k.tally.killed.Add(1)
	}
}

// atRandom kills at some moment of a hook's life.
func (k *killing) atRandom(event string) bool {
	latest := max(latestKill, time.Duration(k.tally.taking.Load())*6/10)
	return k.start(event).kill(rand.N(latest))
}

// goesOn checks that an unharmed stop brings the agent back to the task, and
// that it is in its so-many-th iteration at the most.
func (k *killing) goesOn(latest int) {
	k.Helper()
	start := time.Now()
	got := k.followup(k.stopEvent(k.id))
	k.tally.taking.Store((3*k.tally.taking.Load() + int64(time.Since(start))) / 4)
	if !strings.Contains(got, k.task()) {
		k.Errorf("%s: got %.60q, want the agent to go on", k.task(), got)
		return
	}
	if got := k.live(k.id).Iterations; got < 1 || got > latest {
		k.Errorf("%s: got iteration %d, want at most %d", k.task(), got, latest)
	}
	k.once(k.task())
}

// over ends the loop, so that the next round finds a chat without one.
func (k *killing) over() {
	k.Helper()
	k.rests(k.event("stop", k.id, fields{"status": "aborted", "loop_count": 0}))
	if pending, running, over := k.count(k.task()); pending != 0 || running != 0 || over != 1 {
		k.Errorf("%s: got %d pending, %d running, %d over, want it over", k.task(), pending, running, over)
	}
}

// scenes are what a hook is killed in.
var scenes = []struct {
	name string
	play func(k *killing)
}{
	{"a claim by name", func(k *killing) {
		k.write(k.pending(k.id), seven(k.task()))
		k.strike(k.stopEvent(k.id))
		k.once(k.task())
		k.goesOn(2)
		k.over()
	}},
	{"a claim of an unbound file", func(k *killing) {
		k.write(k.pending("1700000000000-1"), seven(k.task()))
		k.strike(k.stopEvent(k.id))
		k.once(k.task())
		k.goesOn(2)
		k.over()
	}},
	{"a claim of the legacy file", func(k *killing) {
		k.write(k.places.Legacy(), seven(k.task()))
		k.strike(k.stopEvent(k.id))
		k.once(k.task())
		k.goesOn(2)
		k.over()
	}},
	{"a claim at a tool use", func(k *killing) {
		k.write(k.pending(k.id), seven(k.task()))
		k.strike(k.uses(k.id, "1"))
		k.once(k.task())
		k.rests(k.uses(k.id, "1"))
		k.goesOn(1)
		if got := k.live(k.id).ToolCalls; got != 1 {
			k.Errorf("%s: got %d tool calls, want 1", k.task(), got)
		}
		k.over()
	}},
	{"a stop that goes on", func(k *killing) {
		k.write(k.pending(k.id), seven(k.task()))
		k.goesOn(1)
		for i := range 3 {
			k.strike(k.stopEvent(k.id))
			k.once(k.task())
			k.goesOn(3 + 2*i)
		}
		k.over()
	}},
	{"a stop that accepts the promise", func(k *killing) {
		k.write(k.pending(k.id), with(k.task(), fields{"min_tool_calls": 0}))
		k.goesOn(1)
		k.rests(k.says(k.id, "<promise>COMPLETE</promise>"))
		k.strike(k.stopEvent(k.id))
		k.once(k.task())
		k.rests(k.stopEvent(k.id))
		if got := k.archived(k.id); got.Prompt != k.task() || got.Status != loop.PromiseAccepted || got.Iterations != 2 {
			k.Errorf("%s: got %q at iteration %d, %s, want its promise accepted", k.task(), got.Prompt, got.Iterations, got.Status)
		}
		if k.exists(k.places.Live(k.id)) {
			k.Errorf("%s: the live file is still there", k.task())
		}
		k.once(k.task())
	}},
	{"a stop pressed by the user", func(k *killing) {
		k.write(k.pending(k.id), seven(k.task()))
		k.goesOn(1)
		k.strike(k.event("stop", k.id, fields{"status": "aborted", "loop_count": 1}))
		k.once(k.task())
		k.over()
	}},
	{"an end, and the next loop waits", func(k *killing) {
		k.write(k.pending(k.id), with(k.task(), fields{"last_output": "COMPLETE", "min_tool_calls": 0}))
		k.strike(k.stopEvent(k.id))
		k.once(k.task())
		k.hook(k.sends(k.id, "hello")) // which claims the first one, if that is still to be done
		first := k.task()
		k.number++
		k.write(k.pending("1700000000000-1"), seven(k.task()))
		for range 2 { // the first stop may still have to end the first loop
			k.hook(k.stopEvent(k.id))
		}
		k.goesOn(3)
		k.once(first)
		k.over()
	}},
	{"arming by /ralph-loop", func(k *killing) {
		prompt := k.sends(k.id, `/ralph-loop "`+k.task()+`"`)
		k.strike(prompt)
		k.rests(prompt)
		k.once(k.task())
		k.goesOn(1)
		k.over()
	}},
	{"replacing by /ralph-loop", func(k *killing) {
		k.write(k.pending(k.id), seven("the old one of "+k.task()))
		k.followup(k.stopEvent(k.id))
		prompt := k.sends(k.id, `/ralph-loop "`+k.task()+`" --replace`)
		k.strike(prompt)
		k.once("the old one of " + k.task())
		k.rests(prompt)
		k.once(k.task())
		k.goesOn(1)
		k.once("the old one of " + k.task())
		k.over()
	}},
	{"binding by a token", func(k *killing) {
		const token = "1700000000000-1:secret"
		k.write(k.pending("1700000000000-1"), with(k.task(), fields{"token": token}))
		use := k.event("postToolUse", k.id, fields{"tool_name": "Shell", "tool_use_id": "1",
			"tool_input": fields{"command": "cursor-ralph slash ralph-loop"}, "tool_output": "cursor-ralph-token: " + token})
		k.strike(use)
		k.once(k.task())
		k.rests(use)
		k.goesOn(1)
		k.over()
	}},
	{"cancelling in the chat", func(k *killing) {
		k.write(k.pending(k.id), seven(k.task()))
		k.goesOn(1)
		k.strike(k.sends(k.id, "/cancel-ralph"))
		k.once(k.task())
		k.hook(k.sends(k.id, "/cancel-ralph"))
		k.rests(k.stopEvent(k.id))
		if pending, running, over := k.count(k.task()); pending != 0 || running != 0 || over != 1 {
			k.Errorf("%s: got %d pending, %d running, %d over, want it over", k.task(), pending, running, over)
		}
	}},
}

// TestHookKilledAtAnyMoment kills a thousand hooks. After each one the files
// are looked at, and the next hooks, which are let live, must go on from there.
func TestHookKilledAtAnyMoment(t *testing.T) {
	var tally tally
	var group sync.WaitGroup
	start := time.Now()
	for n := range killers {
		group.Go(func() {
			for tally.killed.Load() < kills && !t.Failed() {
				scene := scenes[int(tally.next.Add(1))%len(scenes)]
				k := &killing{world: newWorld(t), id: fmt.Sprint("chat-", n), tally: &tally}
				k.kill = k.atRandom
				scene.play(k)
				k.leftOvers()
				tally.struck.Add(1)
				if t.Failed() {
					t.Errorf("in: %s", scene.name)
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d rounds, in which %d hooks were killed before their end, in %v", tally.struck.Load(), tally.killed.Load(), time.Since(start).Round(time.Millisecond))
}

// leftOvers checks that kills leave no broken files. An unfinished new file in
// the scratch folder is no harm, nor a journal: the next claim removes it.
func (k *killing) leftOvers() {
	k.Helper()
	for path := range k.files() {
		if strings.Contains(path, ".corrupt-") {
			k.Errorf("left behind: %s", path)
		}
	}
	if k.exists(k.places.Live(k.id)) {
		k.Error("left behind: the live file")
	}
	for _, line := range k.log("") {
		if !strings.HasPrefix(line, "20") {
			k.Errorf("got the line %q in the log", line)
		}
	}
}
