package main

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/watcher"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// A loop may go with its folder, as at the end of a demo; then no watcher stays.
func TestTheWatcherEndsWithTheFolder(t *testing.T) {
	base := t.TempDir() + "/loops"
	must(t, os.Mkdir(base, 0o700))
	vars := map[string]string{"CURSOR_RALPH_NO_WATCHER": "1", "CURSOR_RALPH_DIR": base, "CURSOR_RALPH_STATE_DIR": t.TempDir()}
	e := &env{&cli.Env{Terminal: cli.Terminal{Stdin: &bytes.Buffer{}, Stdout: io.Discard, Stderr: io.Discard, Getenv: func(name string) string { return vars[name] }}, Options: cli.Options{Flags: cli.FlagSet("", nil)}, Now: time.Now}}
	must(t, e.Open())
	l := loop.New()
	l.ConversationID, l.Prompt, l.StartedAt, l.EventAt = "chat-1", "task", time.Now(), time.Now()
	must(t, e.Store.Begin(t.Context(), l.ConversationID, l))
	w := &watching{env: e, changes: e.Loops.LiveChanges(), loops: map[string]watcher.Loop{}, began: time.Now()}
	if len(w.live()) != 1 {
		t.Fatal("the watcher does not see the loop")
	}
	must(t, os.RemoveAll(base))
	if left := w.live(); len(left) > 0 {
		t.Errorf("got %+v, want no loop without the folder", left)
	}
}
