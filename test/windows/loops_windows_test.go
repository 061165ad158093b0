package windows_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
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
// verification are refused, and the third promise holds.
func TestLoop(t *testing.T) {
	w := newWorld(t)
	w.ok("install")
	const line = `"make it's file" --max-iterations 5 --verify "ls done.txt"`
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
	w.wants(messages[1], "make it's file")
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
	w.wants(out, "Send this line in a Cursor chat")
	id := strings.Fields(out[strings.Index(out, "cursor-ralph cancel ")+len("cursor-ralph cancel "):])[0]
	w.ok("cancel", id)

	line := lineIn(w.ok("start", "make it", "--max-iterations", "2"))
	chat := w.cursor().Chat(func(turn *simcursor.Turn) {
		if err := turn.Tool("WebFetch", map[string]any{"url": "example.com"}, "text"); err != nil {
			t.Error(err)
		}
		turn.Say("I did something.")
	})
	w.send(chat, line)
	w.wants(w.ok("status", chat.ID), "MAX_ITERATIONS_REACHED")
	if messages := chat.Messages(); len(messages) < 2 || !strings.Contains(messages[1], "make it") {
		t.Errorf("got %q, want the task as a follow-up", messages)
	}
}

// lineIn returns the line that begins a loop, in what start has printed.
func lineIn(out string) string {
	line, _, _ := strings.Cut(out[strings.Index(out, "/ralph-loop"):], "\n")
	return strings.TrimSpace(line)
}

// TestStopsWhileTheStateIsRead has every stop answered while others have the
// state file open: status, and a program that does not let it be replaced.
func TestStopsWhileTheStateIsRead(t *testing.T) {
	w := newWorld(t)
	w.ok("install")
	line := lineIn(w.ok("start", "make it", "--max-iterations", "4"))
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
	w.send(chat, line)
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

// The path of a program as install writes it: PowerShell runs a text in quotes
// only after &.
func TestInstallQuotesThePath(t *testing.T) {
	w := newWorld(t)
	folder := w.in("home/it's")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cursor-ralph.exe", "cursor-ralph-hook.exe"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err := errors.Join(err, os.WriteFile(filepath.Join(folder, name), data, 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", folder+";"+os.Getenv("PATH"))
	w.env = append(w.env, "PATH="+os.Getenv("PATH"))
	w.ok("install")
	chat := w.cursor().Chat(nil)
	runs := chat.Fire(t.Context(), "stop", chat.SampleFields("stop"))
	if len(runs) != 1 || runs[0].Exit != 0 || strings.TrimSpace(runs[0].Stdout) != "{}" {
		t.Errorf("got %+v, want one answer", runs)
	}
}
