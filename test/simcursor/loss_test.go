//go:build unix

package simcursor_test

import (
	"slices"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// many returns n times the same hook on stop.
func many(n int, command string) hooks {
	return hooks{"stop": slices.Repeat([]entry{{"command": command, "loop_limit": 1}}, n)}
}

func lost(runs []simcursor.Run) (n int) {
	for _, run := range runs {
		if run.Lost {
			n++
		}
	}
	return n
}

// starts returns the ways in which Cursor may start a hook's command.
func starts() map[string]simcursor.Start {
	if testing.Short() {
		return map[string]simcursor.Start{"login shell": simcursor.LoginShell}
	}
	return map[string]simcursor.Start{
		"login shell": simcursor.LoginShell, "sh -c": simcursor.PlainShell, "directly": simcursor.Direct,
	}
}

// The second command exits long after its answer.
func TestReadUntilExitLosesWhatAFastHookSays(t *testing.T) {
	const runs = 16
	quick := `sh -c 'cat >/dev/null; echo "{\"followup_message\":\"more\"}"'`
	lingers := `sh -c 'cat >/dev/null; echo "{\"followup_message\":\"more\"}"; exec >&-; sleep 0.4'`
	for name, start := range starts() {
		w := newWorld(t).project(many(runs, quick))
		w.Options.ReadUntilExit, w.Options.Start = true, start
		c := w.open()
		ch := c.Chat(func(*simcursor.Turn) {})
		w.send(ch, "go")
		if got := lost(ch.Runs("stop")); got == 0 {
			t.Errorf("%s: no answer of %d was lost", name, runs)
		}
		equal(t, "violations", c.Violations(), nil)

		w.project(many(runs, lingers))
		again := w.chat(nil)
		if got := lost(again.Runs("stop")); got > 0 || len(again.Messages()) != 2 {
			t.Errorf("%s: %d answers of hooks that stayed were lost; messages %q", name, got, again.Messages())
		}
	}
}
