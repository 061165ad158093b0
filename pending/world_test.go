package pending_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
)

// world is a folder of our files at a fixed time.
type world struct {
	*testing.T
	places platform.Places
	box    *pending.Box
	now    time.Time
}

func newWorld(t *testing.T) world {
	t.Helper()
	dir := t.TempDir()
	places := loopfiles.Places(t, dir, filepath.Join(dir, "archive"))
	w := world{T: t, places: places, now: time.Now().Round(time.Millisecond)}
	w.box = pending.New(places, state.New(places, time.Now), func() time.Time { return w.now })
	w.must(os.MkdirAll(places.Scratch(), 0o700))
	return w
}

func (w world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// context ends before the test does.
func (w world) context() context.Context {
	ctx, cancel := context.WithTimeout(w.Context(), 2*time.Minute)
	w.Cleanup(cancel)
	return ctx
}

func (w world) path(name string) string {
	return filepath.Join(w.places.Pending(), name+".json")
}

func (w world) live(id string) string { return w.places.Live(id) }

// file writes a pending file, as anybody might, and makes it as old as told.
func (w world) file(name, content string, age time.Duration) {
	w.Helper()
	w.must(os.WriteFile(w.path(name), []byte(content), 0o644))
	w.aged(name, age)
}

func (w world) aged(name string, age time.Duration) {
	w.Helper()
	then := w.now.Add(-age)
	w.must(os.Chtimes(w.path(name), then, then))
}

func (w world) claim(who pending.Claimant) (warning, err error) {
	return w.box.Take(w.context(), who, w.live(who.ID))
}

var seven = loopfiles.Seven

func with(fields map[string]any) string { return loopfiles.With("the task", fields) }

func in(workspace string) string { return with(map[string]any{"workspace": workspace}) }

func task(prompt string) loop.State {
	l := loop.New()
	l.Prompt = prompt
	return l
}

func (w world) exists(path string) bool { w.Helper(); return loopfiles.Exists(w, path) }

func (w world) files() map[string]string { w.Helper(); return loopfiles.Tree(w, w.places.Base) }

func contains(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
}
