package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// looker is a panel's look at a machine of its own, with a clock that a test
// moves.
type looker struct {
	*testing.T
	*env
	out   *loopsToShow
	clock time.Time
}

func newLooker(t *testing.T) *looker {
	t.Helper()
	l := &looker{T: t, clock: time.Now()}
	dirs := map[string]string{"CURSOR_RALPH_NO_WATCHER": "1", "CURSOR_RALPH_DIR": t.TempDir(), "CURSOR_RALPH_STATE_DIR": filepath.Join(t.TempDir(), "state")}
	l.env = &env{&cli.Env{Terminal: cli.Terminal{Getenv: func(name string) string { return dirs[name] }}, Now: func() time.Time { return l.clock }}}
	must(l.T, l.Open())
	l.out = newLoopsToShow(l.env)
	return l
}

// puts asks for a loop in a chat, or in none.
func (l *looker) puts(id, task string) {
	l.Helper()
	s := loop.New()
	s.Prompt, s.ConversationID = task, id
	_, err := l.Loops.Box.Put(l.Context(), s)
	must(l.T, err)
}

// begins lets a chat take its loop.
func (l *looker) begins(id, task string) {
	l.Helper()
	s := loop.New()
	s.Prompt = task
	data, err := s.Encode()
	must(l.T, err)
	must(l.T, l.Store.Claim(l.Context(), id, func(live string) error { return os.WriteFile(live, data, 0o600) }))
}

// does runs a command as a key does.
func (l *looker) does(args ...string) (string, error) {
	return l.forPanel(l.Context(), args[0], args[1], args[2:]...)
}

func TestThePanelsCommandsAreThoseOfTheCommandLine(t *testing.T) {
	l := newLooker(t)
	l.begins("a", "one")
	for _, tt := range []struct {
		args []string
		said string
	}{
		{[]string{"pause", "a"}, "takes effect at the next stop"},
		{[]string{"resume", "a"}, "goes on at the next stop"},
		{[]string{"context", "a", "--not a flag\n-x"}, "with the next continuation"},
		{[]string{"cancel", "a"}, "cancelled the loop "},
	} {
		said, err := l.does(tt.args...)
		if err != nil || !strings.Contains(said, tt.said) {
			t.Errorf("%q: got %q, %v, want %q in it", tt.args, said, err, tt.said)
		}
	}
	ended, err := l.Store.Recorded("a")
	must(l.T, err)
	if !slices.Equal(ended.Context, []string{"--not a flag\n-x"}) {
		t.Errorf("got the context %q", ended.Context)
	}
	if _, err := l.does("pause", "a"); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("got %v, want that it has ended", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.begins("b", "two")
	if _, err := l.forPanel(ctx, "pause", "b"); err == nil {
		t.Error("got a command that ran after the end")
	}
}
