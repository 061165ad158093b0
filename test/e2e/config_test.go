//go:build unix

package e2e_test

import (
	"path/filepath"
	"testing"
)

// settings writes the user's own.
func (w *world) settings(text string) {
	w.Helper()
	w.write(filepath.Join(w.home(), ".config", "cursor-ralph", "config.toml"), text)
}

// What the user types beats the environment, which beats the file.
func TestWhatIsTypedBeatsTheUsersDefaults(t *testing.T) {
	t.Parallel()
	for name, arm := range map[string]func(w *world) *chat{
		"by the prompt hook": func(w *world) *chat { c := w.chat(); c.starts(`"make it green" --max-iterations 4`); return c },
		"by the slash call": func(w *world) *chat {
			w.ExpandCommands = true
			c := w.chat()
			c.starts(`"make it green" --max-iterations 4`)
			return c
		},
		"by start": func(w *world) *chat {
			w.ok(w.repo(), "start", "make it green", "--max-iterations", "4")
			c := w.chat()
			c.types("hello")
			c.goesOn() // and has its task
			return c
		},
		"by loop mode": func(w *world) *chat { w.modeOn("--max-iterations=4"); c := w.chat(); c.startsOne("x"); return c },
	} {
		t.Run(name, func(t *testing.T) {
			once(t, func(w *world) {
				w.settings("[loop]\nultrawork = true\nmax-iterations = 7\ncompletion-promise = \"GREEN\"\n")
				w.extra = []string{"CURSOR_RALPH_MAX_ITERATIONS=5", "CURSOR_RALPH_COMPLETION_PROMISE=BLUE"}
				c := arm(w)
				c.works()
				text := c.goesOn()
				w.wantPart("continuation", text, "[Ralph loop 2/4]")
				w.wantPart("continuation", text, "<promise>BLUE</promise>")
				w.wantPart("continuation", text, "Ultrawork")
				c.stops()
			})
		})
	}
}

// Settings that cannot be used end no chat: the hook goes by the built-in ones,
// and the next continuation says so.
func TestSettingsThatAreWrong(t *testing.T) {
	once(t, func(w *world) {
		w.settings("[loop]\nmax-iterations = many\n")
		w.troubles = []string{"config.toml:2:18"}
		c := w.chat()
		c.starts(`"make it green"`)
		c.works()
		text := c.goesOn()
		w.wantPart("continuation", text, "[Ralph loop 2/20]")
		w.wantPart("continuation", text, "built-in defaults. Tell the user: "+w.home())
		w.wantPart("continuation", text, "config.toml:2:18: ")
		w.wantNoPart("next continuation", c.goesOn(), "built-in defaults")
		c.stops()

		_, complaint, exit := w.terminal(w.repo(), "start", "make it blue")
		w.wantPart("start", complaint, "config.toml:2:18: ")
		w.wantPart("start", complaint, "hint: ")
		if exit != 2 {
			w.Errorf("start: got exit code %d, want 2", exit)
		}
		w.wantNoLoops()
	})
}

// A line that continues a loop has nothing of the settings: they are not read, so
// wrong ones are no trouble.
func TestAContinueLineAsksForNoSettings(t *testing.T) {
	once(t, func(w *world) {
		c := running(w, `"make it green"`)
		c.stops()
		w.settings("[loop]\nmax-iterations = many\n")
		c.types("/ralph-loop --continue " + c.ID)
		c.follows()
		c.works()
		w.wantNoPart("continuation", c.goesOn(), "built-in defaults")
		c.stops()
	})
}

// The slash call starts none where no hook has: then the user can see it.
func TestSettingsThatAreWrongAndASlashCall(t *testing.T) {
	once(t, func(w *world) {
		w.ExpandCommands = true
		w.settings("[loop]\nmax-iteration = 9\n")
		c := w.chat()
		c.types(`/ralph-loop "make it green"`)
		out, exit := c.tries("cursor-ralph slash ralph-loop <<'EOT'\n\"make it green\"\nEOT")
		if w.wantPart("slash", out, "config.toml:2:1: there is no setting loop.max-iteration"); exit != 2 {
			w.Errorf("slash: got exit code %d, want 2", exit)
		}
		c.rests()
		w.wantNoLoops()
	})
}

// A gate of the settings that does not fit is named with its place, and can be left out of one loop.
func TestAGateOfTheSettings(t *testing.T) {
	each(t, few()[:2], func(w *world) {
		w.settings("[loop]\ntasks = \"TODO.md\"\nverify = \"exit 1\"\n")
		c := w.chat()
		c.types(`/ralph-loop "make it green"`)
		const want = "config.toml:2; --no-tasks starts without it)"
		if c.turn != nil {
			out, _ := c.tries(c.handOver())
			w.wantPart("slash", out, want)
			c.rests()
		} else {
			w.wantPart("shown", c.shown(), want)
		}
		w.wantNoLoops()
		c = w.chat()
		c.starts(`"make it green" --no-tasks --verify ""`)
		c.works()
		c.says(done).concludes()
	})
}
