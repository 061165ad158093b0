package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// TestALoopThatAChatClaimsMeanwhileIsSteered has a chat claim the loop when the
// command has looked for it among the live ones, and found it among the pending.
func TestALoopThatAChatClaimsMeanwhileIsSteered(t *testing.T) {
	for name, tt := range map[string]struct {
		steer func(context.Context, *env, []string) error
		done  func(l loop.State) bool
	}{
		"pause":   {pause, func(l loop.State) bool { return l.Status == loop.Paused }},
		"cancel":  {cancel, func(l loop.State) bool { return l.Status == loop.Cancelled }},
		"context": {addContext, func(l loop.State) bool { return len(l.Context) == 1 }},
		"note":    {note, func(l loop.State) bool { return l.Note == "words" }},
	} {
		t.Run(name, func(t *testing.T) {
			const id = "chat-1"
			e := claimedMeanwhile(t, id)
			args := []string{id}
			if name == "context" || name == "note" {
				args = append(args, "words")
			}
			if err := tt.steer(t.Context(), e, args); err != nil {
				t.Fatalf("got %v, want it done", err)
			}
			l, err := e.Store.Read(id)
			if err != nil {
				l, err = e.Store.Archived(id)
			}
			if err != nil || !tt.done(l) {
				t.Errorf("got %s (%v) with context %q, want it %s", l.Status, err, l.Context, name)
			}
		})
	}
}

// claimedMeanwhile has one pending loop, which is claimed when somebody reads it
// for the second time.
func claimedMeanwhile(t *testing.T, id string) *env {
	t.Helper()
	vars := map[string]string{"CURSOR_RALPH_NO_WATCHER": "1", "CURSOR_RALPH_DIR": t.TempDir(), "CURSOR_RALPH_STATE_DIR": t.TempDir()}
	e := &env{&cli.Env{Stdin: &bytes.Buffer{}, Stdout: io.Discard, Stderr: io.Discard, Getenv: func(name string) string { return vars[name] }, Now: time.Now, Flags: cli.FlagSet("", nil)}}
	if err := e.Open(); err != nil {
		t.Fatal(err)
	}
	l := loop.New()
	l.Prompt, l.ConversationID = "the task", id
	path, _, err := e.Loops.Box.Put(t.Context(), l, "")
	if err != nil {
		t.Fatal(err)
	}
	reads := 0
	e.Loops.Box = pending.New(e.Places, e.Store, func() time.Time { // is asked for the age of what was read
		if reads++; reads == 2 { // the first was to complete the id
			s := state.New(e.Places, time.Now)
			if err := s.Claim(t.Context(), id, func(live string) error { return os.Rename(path, live) }); err != nil {
				t.Error(err)
			}
		}
		return time.Now()
	})
	return e
}

// TestAnOlderLoopThatCannotComeStaysAsItIs: its chat's last loop stays the last one.
func TestAnOlderLoopThatCannotComeStaysAsItIs(t *testing.T) {
	vars := map[string]string{"CURSOR_RALPH_NO_WATCHER": "1", "CURSOR_RALPH_DIR": t.TempDir(), "CURSOR_RALPH_STATE_DIR": t.TempDir(), "CURSOR_CONVERSATION_ID": "busy"}
	e := &env{&cli.Env{Stdin: &bytes.Buffer{}, Stdout: io.Discard, Stderr: io.Discard, Getenv: func(name string) string { return vars[name] }, Now: time.Now, Flags: cli.FlagSet("", nil)}}
	must(t, e.Open())
	begin := func(chat, id string) {
		l := loop.New()
		l.ID, l.Prompt = id, "the task"
		must(t, e.Store.Begin(t.Context(), chat, l))
	}
	for _, id := range []string{"k1111", "k2222"} {
		_ = os.Rename(e.Places.Record("chat"), e.Places.Record("chat~1")) // the first has none before it
		begin("chat", id)
		if _, _, err := e.Store.Apply(t.Context(), "chat", loop.Event{Kind: loop.EventCancel}); err != nil {
			t.Fatal(err)
		}
	}
	begin("busy", "k3333")
	if err := e.goOn(t.Context(), []string{"k1111"}, loop.Request{}, true); err == nil {
		t.Error("got no error, want that the chat has a loop")
	}
	if l, err := e.Store.Archived("chat"); err != nil || l.ID != "k2222" {
		t.Errorf("got %s, %v, want k2222", l.ID, err)
	}
}
