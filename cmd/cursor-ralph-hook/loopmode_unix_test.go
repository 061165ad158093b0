//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// modeOn switches loop mode on in a folder, as cursor-ralph does.
func (w world) modeOn(folder string, maxIterations int) {
	w.Helper()
	l := loop.New()
	l.MaxIterations = maxIterations
	now := time.Now()
	w.must(state.New(w.places, time.Now).SetMode(state.Mode{Workspace: folder, Since: now, Until: now.Add(time.Hour), Loop: l}))
}

// contracts are the texts that the agent gets beside its message.
func contracts(answers ...map[string]any) (texts []string) {
	for _, a := range answers {
		if text, ok := a["additional_context"].(string); ok && text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

func TestAMessageInLoopModeSeenTwiceIsOneLoop(t *testing.T) {
	for i := range rounds() {
		w := newWorld(t)
		w.modeOn(w.workspace, 3)
		prompt := w.sends(me, "the task")
		if got := contracts(w.together(prompt, prompt, prompt)...); len(got) != 1 {
			t.Errorf("round %d: got %q, want one contract", i, got)
		}
		w.once("the task")
		stop := w.stopEvent(me)
		if got := messages(w.together(stop, stop)); len(got) != 1 || !strings.Contains(got[0], "[Ralph loop 2/3]") {
			t.Errorf("round %d: got %q, want one follow-up", i, got)
		}
		w.hook(w.sends(me, "/cancel-ralph"))
		first, second := w.sends(me, "never mind"), w.sends(me, "the next task")
		if got := contracts(w.together(first, first)...); len(got) > 0 {
			t.Errorf("round %d: got %q, want nothing after a cancel", i, got)
		}
		if got := contracts(w.together(second, second)...); len(got) != 1 {
			t.Errorf("round %d: got %q, want one contract", i, got)
		}
		w.once("the next task")
		if got := w.log("action=error"); len(got) > 0 {
			t.Fatalf("round %d: got %q, want no errors", i, got)
		}
	}
}

func TestTheFolderThatHasLoopModeOn(t *testing.T) {
	for _, tt := range []struct {
		name      string
		roots     []string
		workspace string // of the loop, empty for none
		limit     int
	}{
		{"the only one", []string{"/a"}, "/a", 3},
		{"the first of two that have it on", []string{"/b", "/a"}, "/b", 4},
		{"one behind others", []string{"/x", "", "/b/", "/y"}, "/b/", 4},
		{"none of them", []string{"/x", "/"}, "", 0},
		{"a window without a folder", []string{}, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.modeOn("/a", 3)
			w.modeOn("/b", 4)
			got := contracts(w.hook(w.event("beforeSubmitPrompt", me, fields{"prompt": "the task", "workspace_roots": tt.roots})))
			if tt.workspace == "" {
				if len(got) > 0 || w.exists(w.places.Live(me)) {
					t.Errorf("got %q, want no loop", got)
				}
				return
			}
			if l := w.live(me); len(got) != 1 || l.Workspace != tt.workspace || l.MaxIterations != tt.limit {
				t.Errorf("got %q and a loop of %q with the limit %d, want %q and %d", got, l.Workspace, l.MaxIterations, tt.workspace, tt.limit)
			}
		})
	}
}

// The composer may be one that plans.
func TestAPlanInLoopMode(t *testing.T) {
	w := newWorld(t)
	w.modeOn(w.workspace, 3)
	got := contracts(w.hook(w.event("beforeSubmitPrompt", me, fields{"prompt": "the task", "composer_mode": "plan"})))
	if l := w.live(me); len(got) != 1 || !strings.Contains(got[0], "Plan mode:") || !l.Guarded() {
		t.Errorf("got %q, want a plan", got)
	}
}

// What is not ours, or is no loop mode, keeps nobody's message back.
func TestALoopModeFileThatCannotBeRead(t *testing.T) {
	for name, put := range map[string]func(w world, path string){
		"a symbolic link": func(w world, path string) {
			w.must(os.Rename(path, filepath.Join(w.dir, "theirs")))
			w.must(os.Symlink(filepath.Join(w.dir, "theirs"), path))
		},
		"half a file": func(w world, path string) { w.write(path, `{"workspace": "`) },
		"a folder":    func(w world, path string) { w.must(os.Remove(path)); w.must(os.Mkdir(path, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.modeOn(w.workspace, 3)
			put(w, w.places.LoopMode(w.workspace))
			w.rests(w.sends(me, "the task"))
			w.logged("loop-mode-")
			if pending, running, over := w.count("the task"); pending+running+over > 0 {
				t.Errorf("got %d pending, %d running, %d over, want no loop", pending, running, over)
			}
		})
	}
}
