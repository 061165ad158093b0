package pending_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
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
	vars := map[string]string{"CURSOR_RALPH_DIR": dir, "CURSOR_RALPH_STATE_DIR": filepath.Join(dir, "archive")}
	places, err := platform.Find(func(name string) string { return vars[name] })
	if err != nil {
		t.Fatal(err)
	}
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
	ctx, cancel := context.WithTimeout(w.Context(), 10*time.Second)
	w.Cleanup(cancel)
	return ctx
}

func (w world) path(name string) string {
	if name == "legacy" {
		return w.places.Legacy()
	}
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

func (w world) put(l loop.State, secret string) (path, token string) {
	w.Helper()
	path, token, err := w.box.Put(w.context(), l, secret)
	w.must(err)
	return path, token
}

func (w world) claim(who pending.Claimant) (warning, err error) {
	return w.box.Take(w.context(), who, w.live(who.ID))
}

// files returns the content of our folder, by path below it.
func (w world) files() map[string]string {
	w.Helper()
	found := map[string]string{}
	w.must(filepath.WalkDir(w.places.Base, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) == ".lock" {
			return err
		}
		name, err := filepath.Rel(w.places.Base, path)
		if err != nil {
			return err
		}
		content := "(" + d.Type().String() + ")"
		if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
			content = string(data)
		}
		found[filepath.ToSlash(name)] = content
		return nil
	}))
	return found
}

// seven is a file with the seven public fields alone, as people and agents
// write it by hand.
func seven(task string) string {
	return `{"prompt": "` + task + `", "max_iterations": 20, "completion_promise": "COMPLETE",
 "iterations": 0, "session_iterations": 0, "stop": false, "last_output": ""}` + "\n"
}

// with is a file with a task and other fields.
func with(fields map[string]any) string {
	all := map[string]any{"prompt": "the task"}
	maps.Copy(all, fields)
	data, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func in(workspace string) string { return with(map[string]any{"workspace": workspace}) }

func task(prompt string) loop.State {
	l := loop.New()
	l.Prompt = prompt
	return l
}

func (w world) item(name string) pending.Item {
	w.Helper()
	items, err := w.box.List()
	w.must(err)
	for _, i := range items {
		if i.Name == name {
			return i
		}
	}
	w.Fatalf("no pending file %s", name)
	return pending.Item{}
}

func (w world) exists(path string) bool {
	w.Helper()
	_, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Fatal(err)
	}
	return err == nil
}

func contains(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
}
