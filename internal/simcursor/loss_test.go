//go:build unix

package simcursor_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
	"github.com/cursor-ralph/cursor-ralph/test/short"
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

func TestReadToTheEndLosesNothing(t *testing.T) {
	w := newWorld(t).project(many(16, followup("more")))
	if got := lost(w.chat(nil).Runs("stop")); got > 0 {
		t.Errorf("%d answers were lost", got)
	}
}

func TestReadUntilExitDoesNotWaitForOpenOutput(t *testing.T) {
	w := newWorld(t)
	fifo := w.fifo("wait")
	w.project(hooks{"stop": {{"command": "(read x <" + fifo + ") & " + says("{}"), "timeout": 20}}})
	w.Options.ReadUntilExit = true
	if run := w.chat(nil).Runs("stop")[0]; run.TimedOut || run.Duration > 10*time.Second {
		t.Errorf("got %+v", run)
	}
	w.must(os.WriteFile(fifo, []byte("end\n"), 0))
}

func TestAnswerCutInTwoIsNoFaultOfTheHook(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": {{"command": `cat >/dev/null; printf '{"followup_message":'; sleep 0.4; printf '"more"}'`}}})
	w.Options.ReadUntilExit = true
	w.Options.Busy = 300 * time.Millisecond
	for range 8 {
		c := w.open()
		ch := c.Chat(func(*simcursor.Turn) {})
		w.send(ch, "go")
		equal(t, "violations", c.Violations(), nil)
		if run := ch.Runs("stop")[0]; run.Lost && run.Stdout != "" && run.Answer == nil {
			return
		}
	}
	t.Error("no answer was cut in two")
}

func TestStartedDirectlyThereIsNoShell(t *testing.T) {
	for start, want := range map[simcursor.Start]string{simcursor.LoginShell: "profile", simcursor.PlainShell: "", simcursor.Direct: ""} {
		w := newWorld(t).project(hooks{"stop": {{"command": `sh -c "cat >/dev/null; echo '{\"saw\":\"'\$FROM_PROFILE'\"}'"`}}})
		w.file(w.Home, ".profile", "export FROM_PROFILE=profile\n")
		w.Options.Start = start
		if got := w.chat(nil).Runs("stop")[0].Answer["saw"]; got != want {
			t.Errorf("start %d: got %v, want %q", start, got, want)
		}
	}
}

func TestLostAnswersByNumber(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": {{"command": followup("more"), "loop_limit": nil}}, "beforeSubmitPrompt": {{"command": says("{}")}}})
	w.user(hooks{"stop": {{"command": followup("too"), "loop_limit": nil}}})
	w.Options.LoseStops = []int{2, 5}
	ch := w.chat(nil)
	equal(t, "messages", ch.Messages(), []string{"go", "too"})
	w.send(ch, "again")
	equal(t, "messages", ch.Messages(), []string{"go", "too", "again", "too", "too"})
	for i, run := range ch.Runs("stop") {
		if want := i/2 == 1 || i/2 == 4; run.Lost != want || want != (len(run.Answer) == 0) || want != strings.Contains(run.Missed, "followup") {
			t.Errorf("run %d: got %+v", i, run)
		}
	}
}

func TestLostAnswersAtRandom(t *testing.T) {
	short.Skip(t)
	play := func(seed uint64) (lost []bool) {
		w := newWorld(t).project(hooks{"preToolUse": {{"command": says(`{"permission":"deny"}`)}}})
		w.Options.LoseOneIn, w.Options.LoseSeed = 5, seed
		w.chat(func(turn *simcursor.Turn) {
			for range 60 {
				lost = append(lost, turn.Tool("Grep", nil, "") == nil)
			}
		})
		return lost
	}
	first := play(1)
	n := len(slices.DeleteFunc(slices.Clone(first), func(lost bool) bool { return !lost }))
	if n < 4 || n > 24 {
		t.Errorf("got %d of %d lost, want about one in five", n, len(first))
	}
	if !slices.Equal(first, play(1)) || slices.Equal(first, play(2)) {
		t.Error("the seed does not determine which answers are lost")
	}
}
