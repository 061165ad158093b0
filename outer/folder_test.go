package outer_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
)

func (w *world) in(name string) string { return filepath.Join(w.dir, outer.FolderName, name) }

func (w *world) file(name string) string {
	w.Helper()
	data, err := os.ReadFile(w.in(name))
	w.must(err)
	return string(data)
}

// edit changes the live file by hand.
func (w *world) edit(old, new string) {
	data, err := os.ReadFile(w.places.Live(id))
	w.must(err)
	w.must(os.WriteFile(w.places.Live(id), []byte(strings.Replace(string(data), old, new, 1)), 0o600))
}

// clear deletes the folder of the live loops, like a cleaner of /tmp.
func (w *world) clear() {
	w.must(os.RemoveAll(w.places.Base))
	w.must(os.Mkdir(w.places.Base, 0o700))
}

// keep saves the files, and restore brings them back.
func (w *world) keep() { w.must(os.CopyFS(w.places.Base+".kept", os.DirFS(w.places.Base))) }
func (w *world) restore() {
	w.clear()
	w.must(os.CopyFS(w.places.Base, os.DirFS(w.places.Base+".kept")))
}

func TestTheFolder(t *testing.T) {
	inWorld(t, "ignores itself, and holds the task and the state", func(w *world) {
		l, err := w.start(w.Context(), says(promise))
		w.must(err)
		if got := w.file(".gitignore"); got != "*\n" {
			t.Errorf("got %q in .gitignore, want *", got)
		}
		if got := w.file("prompt.md"); got != l.Prompt {
			t.Errorf("got the task %q, want %q", got, l.Prompt)
		}
		left, err := outer.Left(w.dir)
		w.must(err)
		if left.Status != loop.PromiseAccepted || left.ConversationID != id {
			t.Errorf("got %s of %s, want the loop as it ended", left.Status, left.ConversationID)
		}
	})
	inWorld(t, "is let in by one run at a time", func(w *world) {
		busy := func(w *world) {
			if lives, err := outer.Lives(w.dir, w.places.RunLock(id)); !lives || err != nil {
				t.Errorf("got %v and %v, want that the run lives", lives, err)
			}
			if _, err := outer.Enter(w.Context(), w.dir, w.places.RunLock(id)); !errors.Is(err, outer.ErrBusy) {
				t.Errorf("got %v, want that another run works here", err)
			}
		}
		_, err := w.start(w.Context(), while(busy, says(promise)))
		w.must(err)
		if lives, err := outer.Lives(w.dir, w.places.RunLock(id)); lives || err != nil {
			t.Errorf("got %v and %v, want that no run lives", lives, err)
		}
	})
	inWorld(t, "is made anew where the agent takes it away", func(w *world) {
		clean := func(w *world) { w.must(os.RemoveAll(w.in(""))) }
		locked := func(w *world) {
			if lives, err := outer.Lives(w.dir, w.places.RunLock(id)); !lives || err != nil {
				t.Errorf("got %v and %v, want that the run lives", lives, err)
			}
		}
		_, err := w.start(w.Context(), while(clean, says("half")), while(locked, says(promise)))
		w.must(err)
		w.wantsPart("the task", w.file("prompt.md"), w.loop.Prompt)
		w.wantsPart("the ignore file", w.file(".gitignore"), "*")
	})
	inWorld(t, "may be gone, and the loop still has its run", func(w *world) {
		alone := func(w *world) {
			w.must(os.RemoveAll(w.in("")))
			if lives, err := outer.Lives(w.dir, w.places.RunLock(id)); !lives || err != nil {
				t.Errorf("got %v and %v, want that the run lives", lives, err)
			}
			if _, err := outer.Enter(w.Context(), w.dir, w.places.RunLock(id)); !errors.Is(err, outer.ErrBusy) {
				t.Errorf("got %v, want that another run works here", err)
			}
			if _, err := os.Lstat(w.in("")); err == nil {
				t.Error("the run that was refused made a folder")
			}
		}
		_, err := w.start(w.Context(), while(alone, says(promise)))
		w.must(err)
		if _, err := os.Lstat(w.places.RunLock(id)); err == nil {
			t.Error("the lock stays when the run has ended")
		}
	})
	inWorld(t, "has the task again where the agent changes it", func(w *world) {
		change := func(w *world) { w.must(os.WriteFile(w.in("prompt.md"), []byte("do nothing"), 0o600)) }
		_, err := w.start(w.Context(), while(change, says("half")), says(promise))
		w.must(err)
		w.wantsPart("the second prompt", w.prompts[1].Text, "build it")
		if got := w.file("prompt.md"); got != "build it" {
			t.Errorf("got the task %q, want it as it was", got)
		}
	})
	inWorld(t, "keeps a prompt.md of somebody else", func(w *world) {
		w.must(os.Mkdir(w.in(""), 0o700))
		w.must(os.WriteFile(w.in("prompt.md"), []byte("mine"), 0o600))
		_, err := w.start(w.Context(), says(promise))
		w.must(err)
		kept, err := filepath.Glob(w.in("prompt.md.before-*"))
		w.must(err)
		if len(kept) != 1 {
			t.Fatalf("got %q, want the file that was there", kept)
		}
		data, err := os.ReadFile(kept[0])
		w.must(err)
		if string(data) != "mine" {
			t.Errorf("got %q, want what was in it", data)
		}
	})
}

func TestAHostileFolder(t *testing.T) {
	for name, make := range map[string]func(w *world, elsewhere string) error{
		"that is a link":            func(w *world, to string) error { return os.Symlink(filepath.Dir(to), w.in("")) },
		"that is a file":            func(w *world, to string) error { return os.WriteFile(w.in(""), nil, 0o600) },
		"whose lock is a link":      link("lock"),
		"whose state is a link":     link("state.json"),
		"whose task is a link":      link("prompt.md"),
		"whose .gitignore is one":   link(".gitignore"),
		"whose state is a folder":   func(w *world, _ string) error { return os.MkdirAll(w.in("state.json"), 0o700) },
		"whose lock is a hard link": func(w *world, to string) error { _ = os.Mkdir(w.in(""), 0o700); return os.Link(to, w.in("lock")) },
	} {
		inWorld(t, name, func(w *world) {
			elsewhere := filepath.Join(filepath.Dir(w.dir), "precious", "file")
			w.must(os.Mkdir(filepath.Dir(elsewhere), 0o755))
			w.must(os.WriteFile(elsewhere, []byte("precious"), 0o600))
			w.must(make(w, elsewhere))
			folder, err := outer.Enter(w.Context(), w.dir, w.places.RunLock(id))
			if err == nil {
				err = folder.Begin(w.loop)
				w.must(folder.Leave())
			}
			if err == nil {
				t.Error("got no error, want it refused")
			}
			data, err := os.ReadFile(elsewhere)
			w.must(err)
			files, err := os.ReadDir(filepath.Dir(elsewhere))
			w.must(err)
			if string(data) != "precious" || len(files) != 1 {
				t.Errorf("got %q and %d files, want what was there", data, len(files))
			}
		})
	}
	for name, content := range map[string]string{
		"garbage":           "\x00{{",
		"half a state":      `{"prompt": "x", "conversation_id": "run-1", "ru`,
		"no run":            `{"prompt": "x", "conversation_id": "run-1"}`,
		"an id that climbs": `{"prompt": "x", "conversation_id": "../../x", "run": {"agent": "a", "driver": "acp"}}`,
		"no id":             `{"prompt": "x", "run": {"agent": "a", "driver": "acp"}}`,
		"a newer state":     `{"prompt": "x", "conversation_id": "run-1", "version": 99}`,
	} {
		inWorld(t, "whose state is "+name, func(w *world) {
			w.must(os.Mkdir(w.in(""), 0o700))
			w.must(os.WriteFile(w.in("state.json"), []byte(content), 0o600))
			if _, err := outer.Left(w.dir); err == nil {
				t.Error("got no error")
			}
		})
	}
}

func link(name string) func(*world, string) error {
	return func(w *world, to string) error {
		return errors.Join(os.Mkdir(w.in(""), 0o700), os.Symlink(to, w.in(name)))
	}
}
