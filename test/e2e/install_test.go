//go:build unix

package e2e_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// oldCursor is one that drops a hooks.json with the events of today.
func oldCursor(installs ...[]string) variant {
	return with("old Cursor", func(v *variant) { v.old, v.installs = true, installs })
}

func TestTheUsualInstallationIsDroppedByAnOldCursor(t *testing.T) {
	each(t, []variant{oldCursor(user)}, func(w *world) {
		for _, f := range w.cursor(w.repo()).Files() {
			if f.Loaded {
				w.Errorf("%s was loaded", f.Path)
			}
		}
	})
}

// twice is our hook in the user's and in the project's hooks.json.
func twice(change ...func(*simcursor.Options)) variant {
	return with("user and project", func(v *variant) {
		v.installs = both()
		for _, c := range change {
			c(&v.Options)
		}
	})
}

func TestStopPressedTakesNoOtherLoop(t *testing.T) {
	each(t, []variant{usual(), twice()}, func(w *world) {
		c := running(w, `"make it green"`)
		w.requests("make it blue")
		c.stops()
		c.types("hello")
		c.stops()
		if ids := w.listed(); len(ids) != 1 || ids[0] == c.ID {
			w.Errorf("got loops %q, want the pending one", ids)
		}
	})
}

const othersHooks = `// My hooks. Keep them!
{
	"version": 1, /* the only one */
	"hooks" : {
		// no poems
		"stop": [ {"command": "cat >/dev/null; echo stop >>$HOME/others", "timeout": 5} ],
		"beforeSubmitPrompt": [
			{ "command" : "cat >/dev/null; echo prompt >>$HOME/others" }   // counts
		],

		"afterFileEdit": []
	},
	"x-mine": [1,2 , 3]
}

`

func TestOtherPeoplesHooksAndCommentsSurvive(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"comments":   othersHooks,
		"windows":    strings.ReplaceAll(othersHooks, "\n", "\r\n"),
		"one line":   `{"version":1,"hooks":{"stop":[{"command":"cat >/dev/null; echo stop >>$HOME/others"}],"beforeSubmitPrompt":[{"command":"cat >/dev/null; echo prompt >>$HOME/others"}]}}`,
		"no newline": strings.TrimSpace(othersHooks),
	}
	for _, install := range [][]string{user, project} {
		for _, name := range short.Keys(files, 1) {
			before := files[name]
			t.Run(strings.Join(append([]string{name}, install...), " "), func(t *testing.T) {
				t.Parallel()
				w := bareWorld(t, usual())
				folder := filepath.Join(w.home(), ".cursor")
				if len(install) > 0 {
					folder = filepath.Join(w.repo(), ".cursor")
				}
				w.write(filepath.Join(folder, "hooks.json"), before)
				w.write(filepath.Join(folder, "commands", "mine.md"), "my own command\n")
				tree := w.tree(folder)
				w.ok(w.repo(), append([]string{"install"}, install...)...)
				once := w.tree(folder)
				w.ok(w.repo(), append([]string{"install"}, install...)...)
				if again := w.tree(folder); !maps.Equal(once, again) {
					w.Errorf("installed again: got %v, want %v", again, once)
				}
				for _, f := range w.cursor(w.repo()).Files() {
					if !f.Loaded {
						w.Fatalf("Cursor drops %s: %s", f.Path, f.Reason)
					}
				}

				c := w.chat()
				c.starts(`"make it green"`)
				c.plays(1)
				c.works()
				c.isAccepted(done, 2)
				others, err := os.ReadFile(filepath.Join(w.home(), "others"))
				w.must(err)
				if string(others) != "prompt\nstop\nprompt\nstop\n" {
					w.Errorf("the other hooks: got %q, want two prompts and two stops", others)
				}

				w.ok(w.repo(), append([]string{"uninstall"}, install...)...)
				after := w.tree(folder)
				maps.DeleteFunc(after, func(name, _ string) bool { return strings.Contains(name, ".backup") || strings.Contains(name, ".bak") })
				if !maps.Equal(tree, after) {
					w.Errorf("uninstalled: got %v\nwant %v", after, tree)
				}
				c.types("/ralph-loop hello")
				c.rests()
				w.wantNoLoops()
			})
		}
	}
}

// tree returns the files of a folder with what they hold.
func (w *world) tree(folder string) map[string]string {
	w.Helper()
	files := map[string]string{}
	root := os.DirFS(folder)
	w.must(fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, path)
		files[path] = string(data)
		return err
	}))
	return files
}

// Where nothing was before, nothing is left.
func TestUninstallLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	w := bareWorld(t, usual())
	before := w.tree(w.home())
	for _, args := range [][]string{user, project} {
		w.ok(w.repo(), append([]string{"install"}, args...)...)
		w.ok(w.repo(), append([]string{"uninstall"}, args...)...)
	}
	if after := w.tree(w.home()); !maps.Equal(before, after) {
		w.Errorf("left in the home: %v, want %v", after, before)
	}
}

// A loop outlives other settings, and an installation that goes and comes again.
func TestALoopOutlivesANewInstallation(t *testing.T) {
	once(t, func(w *world) {
		c := running(w, `"make it green"`)
		w.settings("[hook]\nsession-limit = 3\n")
		c.works()
		c.goesOn()
		c.wantNoHandOver()
		c.goesOn()
		c.wantHandOver()
		c.rests()
		w.ok(w.repo(), "uninstall")
		w.wantStatus(c.ID, "running", 3) // its last turn, as far as anybody knows
		w.ok(w.repo(), "install")
		c.types("/ralph-loop --continue " + c.ID)
		c.follows()
		c.goesOn()
		c.stops()
	})
}
