//go:build unix

package e2e_test

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/terminal"
)

// watches opens a terminal, 80 cells wide and 24 high, and runs cursor-ralph watch in it.
func (w *world) watches(env ...string) *terminal.Window {
	w.Helper()
	return w.inTerminal(strings.Join(env, " ") + " cursor-ralph watch")
}

// inTerminal opens a terminal and runs a command in it, as the user does in a
// shell.
func (w *world) inTerminal(command string) *terminal.Window {
	w.Helper()
	win := terminal.Open(w.T, 80, 24, w.repo(), w.env(), patience)
	win.Runs(command + "; echo ended with $?")
	return win
}

// leaves ends the panel, and checks that the shell has its terminal back.
func leaves(t *terminal.Window, keys ...string) {
	t.Helper()
	t.Presses(keys...)
	screen := t.Sees("ended with 0")
	if strings.Contains(screen, "q quit") {
		t.Errorf("got the panel left on the screen:\n%s", screen)
	}
	t.Types("stty -a; echo echoed")
	t.Presses("Enter")
	screen = t.Waits("the shell's answer", func(s string) bool { return strings.Contains(s, "\nechoed") })
	for _, mode := range []string{"icanon", "echo", "isig"} {
		if !regexp.MustCompile(`[ \n]` + mode + `\b`).MatchString(screen) {
			t.Errorf("got a terminal without %s:\n%s", mode, screen)
		}
	}
	for _, mode := range []string{"alternate_on", "mouse_any_flag"} {
		if got := strings.TrimSpace(t.Tmux("display-message", "-p", "#{"+mode+"}")); got != "0" {
			t.Errorf("got %s %s, want 0", mode, got)
		}
	}
	if got := strings.TrimSpace(t.Tmux("display-message", "-p", "#{cursor_flag}")); got != "1" {
		t.Error("got a terminal whose cursor is hidden")
	}
}

// timeless takes out of a screen what differs from run to run.
func timeless(screen, id string) string {
	screen = strings.ReplaceAll(screen, id, "LOOP1")
	screen = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{5} \([0-9]+s ago\)`).ReplaceAllString(screen, "TIME")
	screen = regexp.MustCompile(`[0-9]+s ago `).ReplaceAllString(screen, "0s ago ")
	screen = regexp.MustCompile(`(workspace +).*`).ReplaceAllString(screen, "${1}WORKSPACE")
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(screen, "")
}

// A loop that was started in the editor shows, is steered with keys, and the next
// stops obey.
func TestALoopIsWatchedAndSteered(t *testing.T) {
	once(t, func(w *world) {
		c := running(w, `"make it green"`)
		id := w.shortID(c.ID)
		win := w.watches()
		win.Sees("1 running", ">  "+id+"  running  2/20", "make it green")
		c.works()
		c.says("The parser is done.")
		c.goesOn()
		win.Sees(">  "+id+"  running  3/20", "said            The parser is done.", "work-")
		const want = `task            make it green
status          running
iteration       3 of 20 (2 in this session)
said            The parser is done.
files           1: work-2.txt
last event      TIME
workspace       WORKSPACE
loop            LOOP1
`
		if got := timeless(win.Screen(), id); !strings.Contains(got, want) || !strings.Contains(got, "\n━━━━━━━━────") {
			w.Errorf("got the screen\n%s\nwant\n%s", got, want)
		}

		win.Presses("a")
		win.Sees("enter send")
		win.Tmux("set-buffer", "the database\nis on port 5433")
		win.Tmux("paste-buffer", "-p")
		win.Sees("the database is on port 5433")
		win.Types(", really")
		win.Presses("Enter")
		win.Sees("context to come the database")
		c.works()
		w.wantPart("continuation", c.goesOn(), "the database is on port 5433, really")
		win.Sees(id + "  running  4/20")

		win.Presses("p")
		win.Sees("pausing (at the next stop)", "takes effect at the next stop")
		c.works()
		c.rests()
		w.wantStatus(c.ID, "paused", 3)

		win.Presses("r")
		win.Sees("waiting (continuation)", c.line())
		win.Presses("c")
		win.Sees("cancel the loop " + id)
		win.Presses("n")
		win.Sees("not cancelled")
		w.wantStatus(c.ID, "waiting", 3)
		win.Presses("c")
		win.Sees("cancel the loop " + id)
		win.Presses("y")
		win.Sees("  1 ended", "CANCELLED ")
		w.wantStatus(c.ID, "CANCELLED", 3)
		leaves(win, "q")
	})
}

// shortID is the loop's own id.
func (w *world) shortID(chat string) string {
	w.Helper()
	var shown struct{ Loops []struct{ ID string } }
	w.must(json.Unmarshal([]byte(w.ok(w.repo(), "status", chat, "--json")), &shown))
	return shown.Loops[0].ID
}

func TestASignalEndsThePanelAndLeavesTheTerminalAsItWas(t *testing.T) {
	once(t, func(w *world) {
		win := w.watches()
		win.Sees("no loops yet")
		pid := strings.TrimSpace(win.Tmux("display-message", "-p", "#{pane_pid}"))
		out, err := exec.CommandContext(w.ctx, "pgrep", "-P", pid).Output()
		w.must(err)
		w.must(exec.CommandContext(w.ctx, "kill", "-TERM", strings.TrimSpace(string(out))).Run())
		leaves(win)
	})
}
