//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// terminalWindow is a window of tmux in which the user watches their loops. It is 80
// cells wide and 24 high.
type terminalWindow struct {
	*world
	socket string
}

// watches opens a terminal and runs cursor-ralph watch in it.
func (w *world) watches(env ...string) *terminalWindow {
	w.Helper()
	return w.inTerminal(strings.Join(env, " ") + " cursor-ralph watch")
}

// inTerminal opens a terminal and runs a command in it, as the user does in a
// shell.
func (w *world) inTerminal(command string) *terminalWindow {
	w.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		w.Skip("needs tmux")
	}
	// The name of a socket must be short.
	dir, err := os.MkdirTemp("", "tmux")
	w.must(err)
	win := &terminalWindow{w, filepath.Join(dir, "s")}
	w.Cleanup(func() {
		win.tmux("kill-server")
		if err := os.RemoveAll(dir); err != nil {
			w.Error(err)
		}
	})
	win.tmux("-f", os.DevNull, "new-session", "-d", "-x", "80", "-y", "24", "-c", w.repo(), "exec env PS1='ready> ' ENV= sh")
	win.sees("ready>")
	win.types(command + "; echo ended with $?")
	win.presses("Enter")
	return win
}

func (t *terminalWindow) tmux(args ...string) string {
	t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", t.socket}, args...)...)
	cmd.Env = append(t.env(), "LANG=C.UTF-8", "TERM=xterm-256color")
	out, err := cmd.CombinedOutput()
	if err != nil && args[0] != "kill-server" {
		t.Fatalf("tmux %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// types sends letters as they are, presses keys by tmux's names of them.
func (t *terminalWindow) types(text string) { t.Helper(); t.tmux("send-keys", "-l", text) }

func (t *terminalWindow) presses(keys ...string) {
	t.Helper()
	t.tmux(append([]string{"send-keys"}, keys...)...)
}

func (t *terminalWindow) screen() string { t.Helper(); return t.tmux("capture-pane", "-p") }

// sees waits until all parts are on the screen, and gives it.
func (t *terminalWindow) sees(parts ...string) string {
	t.Helper()
	return t.waits(fmt.Sprintf("%q", parts), func(screen string) bool {
		for _, part := range parts {
			if !strings.Contains(screen, part) {
				return false
			}
		}
		return true
	})
}

func (t *terminalWindow) waits(what string, is func(screen string) bool) string {
	t.Helper()
	for {
		screen := t.screen()
		if is(screen) {
			return screen
		}
		select {
		case <-t.ctx.Done():
			t.Fatalf("got the screen\n%s\nwant %s", screen, what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// leaves ends the panel, and checks that the shell has its terminal back.
func (t *terminalWindow) leaves(keys ...string) {
	t.Helper()
	t.presses(keys...)
	screen := t.sees("ended with 0")
	if strings.Contains(screen, "q quit") {
		t.Errorf("got the panel left on the screen:\n%s", screen)
	}
	t.types("stty -a; echo echoed")
	t.presses("Enter")
	screen = t.waits("the shell's answer", func(s string) bool { return strings.Contains(s, "\nechoed") })
	for _, mode := range []string{"icanon", "echo", "isig"} {
		if !regexp.MustCompile(`[ \n]` + mode + `\b`).MatchString(screen) {
			t.Errorf("got a terminal without %s:\n%s", mode, screen)
		}
	}
	for _, mode := range []string{"alternate_on", "mouse_any_flag"} {
		if got := strings.TrimSpace(t.tmux("display-message", "-p", "#{"+mode+"}")); got != "0" {
			t.Errorf("got %s %s, want 0", mode, got)
		}
	}
	if got := strings.TrimSpace(t.tmux("display-message", "-p", "#{cursor_flag}")); got != "1" {
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
		win.sees("1 running", ">  "+id+"  running  2/20", "make it green")
		c.works()
		c.says("The parser is done.")
		c.goesOn()
		win.sees(">  "+id+"  running  3/20", "said            The parser is done.", "work-")
		const want = `task            make it green
status          running
iteration       3 of 20 (2 in this session)
said            The parser is done.
files           1: work-2.txt
last event      TIME
workspace       WORKSPACE
loop            LOOP1
`
		if got := timeless(win.screen(), id); !strings.Contains(got, want) || !strings.Contains(got, "\n━━━━━━━━────") {
			w.Errorf("got the screen\n%s\nwant\n%s", got, want)
		}

		win.presses("a")
		win.sees("enter send")
		win.tmux("set-buffer", "the database\nis on port 5433")
		win.tmux("paste-buffer", "-p")
		win.sees("the database is on port 5433")
		win.types(", really")
		win.presses("Enter")
		win.sees("context to come the database")
		c.works()
		w.wantPart("continuation", c.goesOn(), "the database is on port 5433, really")
		win.sees(id + "  running  4/20")

		win.presses("p")
		win.sees("pausing (at the next stop)", "takes effect at the next stop")
		c.works()
		c.rests()
		w.wantStatus(c.ID, "paused", 3)

		win.presses("r")
		win.sees("waiting (continuation)", c.line())
		win.presses("c")
		win.sees("cancel the loop " + id)
		win.presses("n")
		win.sees("not cancelled")
		w.wantStatus(c.ID, "waiting", 3)
		win.presses("c")
		win.sees("cancel the loop " + id)
		win.presses("y")
		win.sees("  1 ended", "CANCELLED ")
		w.wantStatus(c.ID, "CANCELLED", 3)
		win.leaves("q")
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
		win.sees("no loops yet")
		pid := strings.TrimSpace(win.tmux("display-message", "-p", "#{pane_pid}"))
		out, err := exec.CommandContext(w.ctx, "pgrep", "-P", pid).Output()
		w.must(err)
		w.must(exec.CommandContext(w.ctx, "kill", "-TERM", strings.TrimSpace(string(out))).Run())
		win.leaves()
	})
}
