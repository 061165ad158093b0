//go:build unix

package simcursor_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// world is a home and a workspace in temporary folders.
type world struct {
	*testing.T
	simcursor.Config
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{t, simcursor.Config{
		Home: t.TempDir(), Workspace: t.TempDir(), Shell: "/bin/sh",
		Env: []string{"PATH=" + os.Getenv("PATH")},
	}}
}

// entry is an entry of a hooks.json.
type entry = map[string]any

type hooks map[string][]entry

func (h hooks) json() string {
	data, err := json.Marshal(map[string]any{"version": 1, "hooks": h})
	if err != nil {
		panic(err)
	}
	return string(data)
}

func (w *world) project(h hooks) *world { return w.file(w.Workspace, ".cursor/hooks.json", h.json()) }
func (w *world) user(h hooks) *world    { return w.file(w.Home, ".cursor/hooks.json", h.json()) }

func (w *world) file(dir, name, content string) *world {
	w.Helper()
	path := filepath.Join(dir, name)
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path, []byte(content), 0o644))
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) open() *simcursor.Cursor {
	w.Helper()
	c, err := simcursor.New(w.Config)
	w.must(err)
	return c
}

// chat plays one message to the end. A nil agent does nothing.
func (w *world) chat(agent simcursor.Agent) *simcursor.Chat {
	w.Helper()
	if agent == nil {
		agent = func(*simcursor.Turn) {}
	}
	ch := w.open().Chat(agent)
	w.send(ch, "go")
	return ch
}

func (w *world) send(ch *simcursor.Chat, text string) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), 30*time.Second)
	defer cancel()
	w.must(ch.Send(ctx, text))
}

// says is a well-behaved hook: it reads its input and answers.
func says(answer string) string { return "cat >/dev/null; printf %s '" + answer + "'" }

func followup(text string) string { return says(`{"followup_message":"` + text + `"}`) }

// payload returns the input of a run's hook.
func payload(t *testing.T, run simcursor.Run) map[string]any {
	t.Helper()
	var p map[string]any
	if err := json.Unmarshal(run.Payload, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
