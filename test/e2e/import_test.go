//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
)

// pluginHook does what the stop hook of Cursor's ralph-loop plugin does with
// its file, as far as another hook can see it.
const pluginHook = `cat >/dev/null
pad=.cursor/ralph/scratchpad.md
[ -f $pad ] || { echo '{}'; exit; }
n=$(($(sed -n 's/^iteration: //p' $pad) + 1))
sed "s/^iteration: .*/iteration: $n/" $pad >$pad.tmp && mv $pad.tmp $pad
echo "{\"followup_message\": \"[plugin's iteration $n]\"}"
`

const scratchpad = `---
iteration: 1
max_iterations: 20
completion_promise: "ALL GREEN"
---

make it green
---
and keep it so
`

// A loop of the plugin is taken over in its third iteration: the plugin goes on
// with nothing, we with the fourth, to the promise.
func TestALoopOfCursorsPluginIsImported(t *testing.T) {
	each(t, few(), func(w *world) {
		folder := filepath.Join(w.repo(), ".cursor")
		pad := filepath.Join(folder, "ralph", "scratchpad.md")
		w.write(filepath.Join(folder, "plugin.sh"), pluginHook)
		w.write(filepath.Join(folder, "hooks.json"), hooksFile("stop", "sh .cursor/plugin.sh"))
		w.install()
		w.write(pad, scratchpad)
		c := w.chat()
		c.types("Start a ralph loop")
		for _, want := range []string{"[plugin's iteration 2]", "[plugin's iteration 3]"} {
			c.works()
			if got := c.goesOn(); got != want {
				w.Fatalf("got %q, want %q", got, want)
			}
		}

		w.wantPart("dry run", w.ok(w.repo(), "import", "--dry-run"), "iteration 3 of 20 is under way")
		w.wantNoLoops()
		w.wantPart("import", w.ok(w.repo(), "import"), "with iteration 4")
		w.wantPart("import again", w.ok(w.repo(), "import"), "Nothing to import")
		if _, err := os.Stat(pad); err == nil {
			w.Error("the plugin still has its loop")
		}
		c.works()
		text := c.goesOn()
		w.wantPart("continuation", text, "[Ralph loop 4/20]")
		w.wantPart("continuation", text, "make it green\n---\nand keep it so")
		w.wantStatus(c.ID, "running", 3)
		c.works()
		c.says("It is done: <promise>ALL GREEN</promise>")
		c.concludes()
		if l := w.status(c.ID); l.Status != "PROMISE_ACCEPTED" {
			w.Errorf("got %s (%s), want PROMISE_ACCEPTED", l.Status, l.Reason)
		}
		w.wantNoLoops()
	})
}
