//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

const (
	beginLine = "/ralph-loop --continue k7f2m"
	elsewhere = "11111111-aaaa-4bbb-8ccc-000000000002"
)

// forAnyChat makes a loop that waits for any chat, as start leaves it.
func (w world) forAnyChat() {
	w.Helper()
	w.write(w.pending("1700000000000-7"), with("build it",
		fields{"id": "k7f2m", "armed_by": "cli", "confirmed": true, "task_due": true, "workspace": w.workspace, "max_iterations": 3}))
}

func TestTheLineInTwoChatsBeginsOneLoop(t *testing.T) {
	for range rounds() {
		w := newWorld(t)
		w.forAnyChat()
		began := 0
		for _, a := range w.together(w.sends(me, beginLine), w.sends(elsewhere, beginLine)) {
			if text, _ := a["additional_context"].(string); strings.Contains(text, "[Ralph loop 1/3]") {
				began++
			}
		}
		w.once("build it")
		if began != 1 {
			t.Errorf("got %d chats with the task, want one", began)
		}
	}
}

// TestAStopAndTheLineBeginOneLoop: the stop of a chat claims what its line would.
func TestAStopAndTheLineBeginOneLoop(t *testing.T) {
	for range rounds() {
		w := newWorld(t)
		w.forAnyChat()
		w.together(w.stopEvent(elsewhere), w.sends(me, beginLine))
		w.once("build it")
	}
}

func TestTheLineLeavesAChatsLoopAlone(t *testing.T) {
	w := newWorld(t)
	w.hook(w.sends(me, `/ralph-loop "another task"`))
	w.forAnyChat()
	a := w.hook(w.sends(me, beginLine))
	if text, _ := a["additional_context"].(string); !strings.Contains(text, "another Ralph loop runs in this chat") {
		t.Errorf("got %v, want that a loop runs here", a)
	}
	w.once("another task")
	w.once("build it")
	if !w.exists(w.pending("1700000000000-7")) {
		t.Error("the loop no longer waits")
	}
}

// A loop's own id works in its chat as the chat's does.
func TestAShortIDContinuesTheLoopOfTheChat(t *testing.T) {
	w := newWorld(t)
	w.forAnyChat()
	w.hook(w.sends(me, beginLine))
	w.hook(w.uses(me, "call"))
	w.hook(w.event("stop", me, fields{"status": "aborted", "loop_count": 0}))
	text, _ := w.hook(w.sends(me, beginLine))["additional_context"].(string)
	if !strings.Contains(text, "build it") || w.live(me).Status != loop.Running {
		t.Errorf("got %q, want the continuation", text)
	}
	w.once("build it")
}
