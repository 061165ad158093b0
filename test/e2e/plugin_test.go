//go:build unix

package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// onPath is a machine whose login shell finds the programs: the plugin names
// them, and a system's profile sets the PATH anew.
func onPath(v variant) variant {
	v.profile = `PATH="` + bin + `:$PATH"` + "\n"
	return v
}

// plugged is such a machine, with our plugin alone.
func plugged(t *testing.T, v variant) *world {
	t.Helper()
	v.installs = nil
	w := bareWorld(t, onPath(v))
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

func TestDoctorLooksAtThePlugin(t *testing.T) {
	t.Parallel()
	w := plugged(t, usual())
	found := doctor(w)
	w.wantPart("doctor", found, "our hook is in the plugin")
	w.wantPart("doctor", found, "those of the plugin")
	w.wantNoPart("doctor", found, "problem ")

	profile := filepath.Join(w.home(), ".profile")
	w.must(os.Rename(profile, profile+".away"))
	found = doctor(w)
	w.wantPart("doctor", found, "the plugin runs cursor-ralph-hook, which /bin/sh does not find")
	w.wantPart("doctor", found, "the plugin calls it by that name")
	w.must(os.Rename(profile+".away", profile))

	w.wantPart("install", w.ok(w.repo(), "install"), "each event starts the hook twice")
	w.wantPart("doctor", doctor(w), "our hook is installed twice, in the plugin and in "+filepath.Join(w.home(), ".cursor", "hooks.json"))
	w.ok(w.repo(), "uninstall")
	w.wantNoPart("doctor", doctor(w), "problem ")
}

// Nothing breaks where both are there: every iteration counts once.
func TestAPluginBesideAnInstallationCountsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onPath(usual()))
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
