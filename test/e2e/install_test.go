//go:build unix

package e2e_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/test/short"
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

func TestAMinimalInstallationWorksOnAnOldCursor(t *testing.T) {
	each(t, []variant{oldCursor([]string{"--minimal"})}, func(w *world) {
		c := w.chat()
		w.wantPart("slash", c.starts(`"make it green" --max-iterations 9`), framed("make it green"))
		c.works()
		w.wantPart("continuation", c.goesOn(), "[Ralph loop 2/9]")
		c.wantTask("make it green")
		c.notes("Phase 1 COMPLETE")
		c.goesOn()
		c.notes("All is green. " + done)
		c.rests()
		l := w.wantStatus(c.ID, "PROMISE_ACCEPTED", 3)
		w.wantPart("reason", l.Reason, "tool calls are not seen by a minimal installation")
		w.wantPart("log", w.log(), "tool calls are not seen by a minimal installation")
	})
}

// Where the answers are not seen the agent has to learn where the promise
// counts: nobody hears it otherwise, and the loop runs to its limit.
func TestAMinimalInstallationTellsTheAgentHowToGiveThePromise(t *testing.T) {
	each(t, []variant{oldCursor([]string{"--minimal"})}, func(w *world) {
		c := w.chat()
		c.starts(`"make it green" --max-iterations 9`)
		c.works()
		text := c.goesOn()
		w.wantPart("continuation", text, c.told("note")+`"`+done+`"`)
		c.notes(done)
		c.rests()
		w.wantStatus(c.ID, "PROMISE_ACCEPTED", 2)
	})
}

func TestAMinimalInstallationEndsAtItsLimitsToo(t *testing.T) {
	each(t, []variant{oldCursor([]string{"--minimal"}), with("new Cursor", func(v *variant) { v.installs = [][]string{{"--minimal"}} })}, func(w *world) {
		w.limited()
		c := w.chat()
		c.starts(`"make it green" --max-iterations 3`)
		c.goesOn()
		c.goesOn()
		c.rests()
		w.wantStatus(c.ID, "MAX_ITERATIONS_REACHED", 3)
		c.starts(`"make it blue"`)
		c.goesOn()
		c.stops()
		w.wantStatus(c.ID, "USER_STOPPED", 1)
		c.starts(`"make it red"`)
		for range 4 {
			c.works()
			c.goesOn()
			c.wantNoHandOver()
		}
		c.works()
		c.goesOn()
		c.wantHandOver()
		c.rests()
		c.types("/ralph-loop --continue " + c.ID)
		c.follows()
		c.goesOn()
		c.stops()
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

// doctor returns what doctor finds, good or bad.
func doctor(w *world) string {
	w.Helper()
	out, _, _ := w.terminal(w.repo(), "doctor")
	return out
}

func TestStopPressedTakesNoOtherLoop(t *testing.T) {
	each(t, []variant{usual(), twice()}, func(w *world) {
		c := running(w, `"make it green"`)
		w.ok(w.repo(), "start", "make it blue")
		c.stops()
		c.types("hello")
		c.stops()
		if ids := w.listed(); len(ids) != 1 || ids[0] == c.ID {
			w.Errorf("got loops %q, want the pending one", ids)
		}
	})
}

// rival is somebody else's stop hook.
func rival(answer string) string {
	return `cat >/dev/null; printf '%s' '` + answer + `'`
}

func TestARivalStopHookBesideOurs(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"a follow-up": `{"followup_message": "Write a poem."}`,
		"an erasure":  `{"followup_message": ""}`,
		"nothing":     `{}`,
		"no answer":   ``,
	}
	for _, name := range short.Keys(answers, 1) {
		answer := answers[name]
		t.Run(name, func(t *testing.T) {
			// The user's answer comes after the project's, so it is ours.
			t.Run("in the project", func(t *testing.T) {
				each(t, few(), func(w *world) {
					if len(w.installs) > 1 {
						return // that file has our hook in it
					}
					w.write(filepath.Join(w.repo(), ".cursor", "hooks.json"), hooksFile("stop", rival(answer)))
					c := w.chat()
					c.starts(`"make it green" --min-iterations 3`)
					c.plays(2)
					c.wantTask("make it green")
					c.works()
					c.says(done)
					c.ends()
					w.wantStatus(c.ID, "PROMISE_ACCEPTED", 3)
					if wants := strings.Contains(answer, "poem"); wants != (c.turn != nil) {
						w.Errorf("the rival's turn: got %v, want %v", c.turn != nil, wants)
					}
				})
			})
			// There the rival wins, and our loop keeps its count all the same.
			t.Run("of the user", func(t *testing.T) {
				each(t, []variant{with("project", func(v *variant) { v.installs = [][]string{project} })}, func(w *world) {
					w.write(filepath.Join(w.home(), ".cursor", "hooks.json"), hooksFile("stop", rival(answer)))
					c := w.chat()
					c.starts(`"make it green" --max-iterations 3`)
					for n := range 2 {
						c.works()
						c.says("A part.")
						if !c.ends() {
							c.types("Go on.") // the erasure
						}
						w.wantStatus(c.ID, "running", n+1)
					}
					c.works()
					c.says(done)
					c.ends()
					w.wantStatus(c.ID, "PROMISE_ACCEPTED", 3)
					w.wantNoLoops()
				})
			})
		})
	}
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
	for _, args := range [][]string{user, project} {
		w.ok(w.repo(), append([]string{"install"}, args...)...)
		w.ok(w.repo(), append([]string{"uninstall"}, args...)...)
	}
	for _, dir := range []string{w.home(), w.repo()} {
		if files := slices.Collect(maps.Keys(w.tree(dir))); len(files) > 0 {
			w.Errorf("left in %s: %q", dir, files)
		}
	}
}

// A loop outlives a new installation of the same programs with other options.
func TestALoopOutlivesANewInstallation(t *testing.T) {
	once(t, func(w *world) {
		c := running(w, `"make it green"`)
		w.ok(w.repo(), "install", "--session-limit", "3")
		c.works()
		c.goesOn()
		c.wantNoHandOver()
		c.goesOn()
		c.wantHandOver()
		c.rests()
		w.ok(w.repo(), "uninstall")
		w.wantStatus(c.ID, "waiting", 3)
		w.ok(w.repo(), "install")
		c.types("/ralph-loop --continue " + c.ID)
		c.follows()
		c.goesOn()
		c.stops()
	})
}
