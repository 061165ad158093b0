package windows_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

func TestEveryEventIsAnsweredWithoutALoop(t *testing.T) {
	w := newWorld(t)
	w.wants(w.ok("install"), "hooks.json")
	chat := w.cursor().Chat(nil)
	for _, event := range simcursor.AllEvents() {
		for _, run := range chat.Fire(t.Context(), event, chat.SampleFields(event)) {
			if run.Exit != 0 || strings.TrimSpace(run.Stdout) != "{}" || run.Stderr != "" {
				t.Errorf("%s: %s: exit %d, %q, %q", event, run.Command, run.Exit, run.Stdout, run.Stderr)
			}
		}
	}
	if got := len(chat.Runs("")); got < 5 { // the sixth entry matches no sample
		t.Errorf("got %d runs of the hook, want one for each entry", got)
	}
}

// TestLoop is a whole loop: a promise without work and one that fails its
// verification are refused, the template is found, and the third promise holds.
func TestLoop(t *testing.T) {
	w := newWorld(t)
	w.ok("install")
	w.write("words.txt", "In other words: {{.Task}} {{.Marker}}\n")
	const line = `"make it's file" --max-iterations 5 --verify "ls done.txt" --prompt-template words.txt`
	var messages []string
	edit := func(turn *simcursor.Turn, name string) {
		if err := turn.Edit(name, "done\n"); err != nil {
			t.Error(err)
		}
	}
	chat := w.cursor().Chat(func(turn *simcursor.Turn) {
		switch turn.Number {
		case 1:
			w.wants(w.shell(turn, "@'\n"+line+"\n'@ | cursor-ralph slash ralph-loop"), "make it's file", "<promise>COMPLETE</promise>")
		case 2:
			w.shell(turn, `cursor-ralph note "half is done"`)
			edit(turn, "half.txt")
		case 3:
			edit(turn, "done.txt")
		}
		messages = append(messages, turn.Message)
		turn.Say("<promise>COMPLETE</promise>")
	})
	w.send(chat, "/ralph-loop "+line)
	if len(messages) != 3 {
		t.Fatalf("got %d turns, want 3: %q; shown: %q", len(messages), messages, chat.Shown())
	}
	w.wants(messages[1], "In other words: make it's file")
	w.wants(w.ok("history", chat.ID), "refused: 0 of the 1 tool calls", "refused: `ls done.txt` failed with exit 1", "PROMISE_ACCEPTED")
	w.wants(w.ok("status", chat.ID), "PROMISE_ACCEPTED", `~\work`)
}

// TestStart begins a loop in a terminal, in a folder of the home folder, which
// has a .cursor of its own and is no workspace.
func TestStart(t *testing.T) {
	w := newWorld(t)
	w.ok("install")
	out, err := w.run(w.work("sub"), "start", "make it")
	if err != nil {
		t.Fatal(err, out)
	}
	w.wants(out, "Paste this line into any Cursor chat", w.work("sub"))
	id := strings.Fields(out[strings.Index(out, "cursor-ralph cancel ")+len("cursor-ralph cancel "):])[0]
	w.ok("cancel", id)

	w.wants(w.ok("start", "make it", "--max-iterations", "2"), "/ralph-loop --continue ", w.work(""))
	chat := w.cursor().Chat(func(turn *simcursor.Turn) {
		if err := turn.Tool("WebFetch", map[string]any{"url": "example.com"}, "text"); err != nil {
			t.Error(err)
		}
		turn.Say("I did something.")
	})
	w.send(chat, "hello")
	w.wants(w.ok("status", chat.ID), "MAX_ITERATIONS_REACHED")
	if messages := chat.Messages(); len(messages) < 2 || !strings.Contains(messages[1], "make it") {
		t.Errorf("got %q, want the task as a follow-up", messages)
	}
}

// TestStopsWhileTheStateIsRead has every stop answered while others have the
// state file open: status, and a program that does not let it be replaced.
func TestStopsWhileTheStateIsRead(t *testing.T) {
	w := newWorld(t)
	w.ok("install")
	w.ok("start", "make it", "--max-iterations", "4")
	chat := w.cursor().Chat(func(turn *simcursor.Turn) { turn.Say("More is to do.") })
	live := filepath.Join(w.in("temp"), "cursor-ralph-loop-"+chat.ID+".json")
	done, read := make(chan struct{}), 0
	var readers sync.WaitGroup
	until := func(do func()) func() {
		return func() {
			for {
				select {
				case <-done:
					return
				default:
					do()
				}
			}
		}
	}
	readers.Go(until(func() { _, _ = w.run(w.work(""), "status", chat.ID) }))
	readers.Go(until(func() {
		if _, err := os.ReadFile(live); err == nil {
			read++
		}
	}))
	w.send(chat, "hello")
	close(done)
	readers.Wait()
	w.wants(w.ok("status", chat.ID), "MAX_ITERATIONS_REACHED")
	if read == 0 {
		t.Error("the state was never read meanwhile")
	}
}

func TestRun(t *testing.T) {
	w := newWorld(t)
	out := w.ok("run", "make two files", "--agent-command", "agent.exe", "--max-iterations", "5")
	w.wants(out, "PROMISE_ACCEPTED")
	for _, name := range []string{"first.txt", "second.txt"} {
		if _, err := os.Stat(w.work(name)); err != nil {
			t.Error(err)
		}
	}
	w.wants(w.ok("history"), "PROMISE_ACCEPTED")
}

func TestDemo(t *testing.T) {
	w := newWorld(t)
	out := w.ok("demo", "--keep")
	w.wants(out, "no completion promise", "refused: `./run-tests.cmd` failed with exit 1.", "not ok 1d", "It reads days too.", "PROMISE_ACCEPTED")
}

func TestSimulate(t *testing.T) {
	w := newWorld(t)
	w.ok("install")
	out, err := w.run(w.work(""), "simulate", filepath.Join(w.in("home"), ".cursor", "hooks.json"))
	if err != nil && !strings.Contains(out, "Invalid function") { // Wine 8 lacks what os.RemoveAll calls
		t.Error(err)
	}
	w.wants(out, "used, as the user's", "Shell: cat ", "cursor-ralph-hook.exe", "exit 0 after")
	if strings.Contains(out, "failed; the first: ") {
		t.Error(out)
	}
}

// The path of a program as install writes it: PowerShell runs a text in quotes
// only after &.
func TestInstallQuotesThePath(t *testing.T) {
	w := newWorld(t)
	hook, err := exec.LookPath("cursor-ralph-hook.exe")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(hook)
	if err != nil {
		t.Fatal(err)
	}
	spaced := w.in("home/it's/cursor-ralph-hook.exe")
	if err := errors.Join(os.Mkdir(filepath.Dir(spaced), 0o700), os.WriteFile(spaced, data, 0o700)); err != nil {
		t.Fatal(err)
	}
	w.ok("install", "--hook", spaced)
	chat := w.cursor().Chat(nil)
	runs := chat.Fire(t.Context(), "stop", chat.SampleFields("stop"))
	if len(runs) != 1 || runs[0].Exit != 0 || strings.TrimSpace(runs[0].Stdout) != "{}" {
		t.Errorf("got %+v, want one answer", runs)
	}
}
