//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// plugged is a machine with our plugin alone.
func plugged(t *testing.T, v variant) *world {
	t.Helper()
	v.installs = nil
	w := bareWorld(t, v)
	w.plug()
	return w
}

// plug copies the plugin, as Cursor does.
func (w *world) plug() {
	w.Helper()
	w.must(os.CopyFS(filepath.Join(w.home(), ".cursor", "plugins", "local", "cursor-ralph"), os.DirFS("../../plugin")))
}

func TestALoopRunsOnThePlugin(t *testing.T) {
	t.Parallel()
	variants := append([]variant{usual()}, processes()...)
	variants = without(variants, func(v variant) bool { return v.hidden || v.profile != "" })
	variants = append(variants, option("expanded prompt", func(o *simcursor.Options) { o.ExpandCommands = true }))
	for _, v := range short.First(variants, 1) {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			w := plugged(t, v)
			for _, f := range w.cursor(w.repo()).Files() {
				if !f.Loaded {
					w.Fatalf("Cursor drops %s: %s", f.Path, f.Reason)
				}
			}
			c := w.chat()
			c.starts(`"make it green" --max-iterations 9`)
			c.says(done)
			w.wantPart("continuation", c.goesOn(), "Your promise was refused")
			c.wantTask("make it green")
			c.plays(2)
			c.works()
			c.isAccepted(done, 4)
		})
	}
}

// Nothing breaks where both are there: every iteration counts once.
func TestAPluginBesideAnInstallationCountsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, usual())
	w.plug()
	c := w.chat()
	c.starts(`"make it green" --max-iterations 6`)
	for n := 1; n < 4; n++ {
		c.works()
		c.says("A part.")
		c.goesOn()
		if l := w.wantStatus(c.ID, "running", n); l.ToolCalls != n {
			w.Errorf("after %d turns: got %d tool calls, want %d", n, l.ToolCalls, n)
		}
	}
	c.works()
	c.isAccepted(done, 4)
}
