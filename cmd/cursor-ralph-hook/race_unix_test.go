//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// TestRaceForPendingFiles starts 200 hooks of as many chats at once. Fifty
// files wait for any of them.
func TestRaceForPendingFiles(t *testing.T) {
	w := newWorld(t)
	files, chats := short.Times(10, 50), short.Times(30, 200)
	task := func(i int) string { return fmt.Sprintf("(task %d)", i) }
	for i := range files {
		content := seven(task(i)) // of no workspace
		if i%2 == 0 {
			content = with(task(i), fields{"workspace": w.workspace})
		}
		w.write(w.pending(fmt.Sprintf("17000000000%02d-7", i)), content)
	}
	var stops []string
	for i := range chats {
		stops = append(stops, w.stopEvent(fmt.Sprint("chat-", i)))
	}
	claimed := map[string]string{} // the chat of a task
	for i, answer := range w.together(stops...) {
		text, _ := answer["followup_message"].(string)
		if text == "" {
			if len(answer) > 0 {
				t.Errorf("chat %d: got %v, want {}", i, answer)
			}
			continue
		}
		_, rest, _ := strings.Cut(text, "(task ")
		number, _, _ := strings.Cut(rest, ")")
		name, chat := "(task "+number+")", fmt.Sprint("chat-", i)
		if first := claimed[name]; first != "" {
			t.Errorf("%s went to %s and to %s", name, first, chat)
		}
		claimed[name] = chat
		if l := w.live(chat); l.Prompt != name || l.Iterations != 1 || l.Status != loop.Running {
			t.Errorf("%s: got %q at iteration %d, %s, want %q at its first", chat, l.Prompt, l.Iterations, l.Status, name)
		}
	}
	if len(claimed) != files {
		t.Errorf("got %d claimed, want all %d", len(claimed), files)
	}
	for i := range files {
		if pending, running, over := w.count(task(i)); pending != 0 || running != 1 || over != 0 {
			t.Errorf("%s: got %d pending, %d running, %d over, want it running", task(i), pending, running, over)
		}
	}
	if got := w.log("action=claimed"); len(got) != files {
		t.Errorf("got %d claims in the log, want %d", len(got), files)
	}
	if got := w.log("action=error"); len(got) > 0 {
		t.Errorf("got %q, want no errors", got)
	}
}

// TestEventsOfManyChatsAtOnce mixes all that hooks do, in chats with a loop.
func TestEventsOfManyChatsAtOnce(t *testing.T) {
	w := newWorld(t)
	chats, turns := short.Times(6, 12), short.Times(2, 5)
	var events []string
	for turn := range turns {
		events = events[:0]
		for i := range chats {
			id := fmt.Sprint("chat-", i)
			if turn == 0 {
				w.write(w.pending(id), seven("the task of "+id))
			}
			for call := range 3 {
				events = append(events, w.uses(id, fmt.Sprint(turn, "-", call)))
			}
			events = append(events, w.says(id, fmt.Sprint("I did ", turn)))
		}
		w.together(events...)
		events = events[:0]
		for i := range chats {
			events = append(events, w.stopEvent(fmt.Sprint("chat-", i)))
		}
		if got := messages(w.together(slices.Concat(events, events)...)); len(got) != chats {
			t.Errorf("turn %d: got %d follow-ups, want %d", turn, len(got), chats)
		}
	}
	for i := range chats {
		if l := w.live(fmt.Sprint("chat-", i)); l.Iterations != turns || l.ToolCalls != 3*turns {
			t.Errorf("chat %d: got %d iterations and %d tool calls, want %d and %d", i, l.Iterations, l.ToolCalls, turns, 3*turns)
		}
	}
	if got := w.log("action=error"); len(got) > 0 {
		t.Errorf("got %q, want no errors", got)
	}
}
