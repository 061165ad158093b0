//go:build unix

package e2e_test

import (
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
	win.tmux("set-option", "-g", "set-clipboard", "on")
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
func timeless(screen, id, home string) string {
	screen = strings.ReplaceAll(screen, id, "CHAT")
	screen = regexp.MustCompile(`running for \S+, last event \S+ ago`).ReplaceAllString(screen, "running for TIME, last event TIME ago")
	screen = regexp.MustCompile(`(workspace +).*`).ReplaceAllString(screen, "${1}WORKSPACE")
	return strings.TrimRight(strings.ReplaceAll(screen, home, "HOME"), "\n") + "\n"
}

// A loop that was started in the editor shows, is steered with keys, and the next
// stops obey.
func TestALoopIsWatchedAndSteered(t *testing.T) {
	once(t, func(w *world) {
		c := running(w, `"make it green"`)
		win := w.watches()
		win.sees("1 live", "> running       2/20  repo", "make it green", c.ID)
		c.works()
		c.says("The parser is done.")
		c.goesOn()
		win.sees("> running       3/20", "said       The parser is done.", "work-")
		const want = `cursor-ralph  1 live
> running       3/20  repo            make it green
────────────────────────────────────────────────────────────────────────────────
task       make it green
status     running
iteration  ██░░░░░░░░░░░░░░░░░░░░░ 3 of 20, 2 in this session, 2 tool calls
time       running for TIME, last event TIME ago
said       The parser is done.
files      1: work-2.txt
workspace  WORKSPACE
id         CHAT












? help  q quit  p pause  r resume  c cancel  a tell  h history  o report  y copy
`
		if got := timeless(win.screen(), c.ID, w.home()); got != want {
			w.Errorf("got the screen\n%s\nwant\n%s", got, want)
		}

		win.presses("a")
		win.sees("ctrl+d send")
		win.tmux("set-buffer", "the database\nis on port 5433")
		win.tmux("paste-buffer", "-p")
		win.sees("is on port 5433")
		win.presses("C-d")
		win.sees("context    1 to come: the database is on port 5433")
		c.works()
		w.wantPart("continuation", c.goesOn(), "the database\nis on port 5433")
		win.sees("> running       4/20")

		win.presses("p")
		win.sees("> paused ", "takes effect at the next stop")
		c.works()
		c.rests()
		w.wantStatus(c.ID, "paused", 3)

		win.presses("r")
		win.sees("> waiting ", "/ralph-loop --continue "+c.ID)
		win.presses("y")
		win.sees("to the clipboard")
		win.copied("/ralph-loop --continue " + c.ID)
		win.presses("h")
		win.sees("history of "+c.ID, "Write 1", "q back")
		win.presses("q", "o")
		win.sees("report of "+c.ID, "# Ralph loop")
		win.presses("s")
		win.sees("written: ")
		data, err := os.ReadFile(filepath.Join(w.repo(), "ralph-report-"+c.ID+".md"))
		w.must(err)
		w.wantPart("report", string(data), "make it green")

		win.presses("q", "c")
		win.sees("cancel the loop of")
		win.presses("n")
		win.sees("not cancelled")
		w.wantStatus(c.ID, "waiting", 3)
		win.presses("c")
		win.sees("cancel the loop of")
		win.presses("y")
		win.sees("0 live, 1 ended", "> cancelled ")
		w.wantStatus(c.ID, "CANCELLED", 3)
		win.leaves("q")
	})
}

// copied waits until tmux, which is the terminal here, has this in its clipboard.
func (t *terminalWindow) copied(want string) {
	t.Helper()
	for t.ctx.Err() == nil {
		cmd := exec.CommandContext(t.ctx, "tmux", "-S", t.socket, "show-buffer")
		if out, err := cmd.Output(); err == nil && string(out) == want {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("the clipboard does not hold %q", want)
}

// A loop that begins, and one that is asked for, come to be there while the panel
// is open, on a machine where nothing was before.
func TestLoopsThatBeginComeToBeThere(t *testing.T) {
	once(t, func(w *world) {
		win := w.watches()
		win.sees("no loops yet")
		w.ok(w.workspace("repo"), "start", "write the docs")
		win.sees("0 live, 1 pending", "> pending ", "write the docs")
		w.ok(w.repo(), "cancel")
		win.sees("0 live, 1 ended")
		c := running(w, `"make it green"`)
		win.sees("1 live, 1 ended", "make it green")
		c.stops()
		win.sees("0 live, 2 ended", "stopped ")
		win.leaves("q")
	})
}

// Without colors the words and the mark say the same.
func TestThePanelWithoutColors(t *testing.T) {
	once(t, func(w *world) {
		c := running(w, `"make it green"`)
		for _, tt := range []struct {
			env    string
			colors bool
		}{{"NO_COLOR=1", false}, {"NO_COLOR=", true}} {
			win := w.watches(tt.env)
			win.sees("> running ")
			win.presses("p")
			win.sees("> paused ")
			win.presses("r")
			win.sees("> running ")
			win.presses("?")
			win.sees("any key back")
			win.presses("x")
			win.sees("status     running") // in its color
			screen := win.tmux("capture-pane", "-p", "-e")
			colored := regexp.MustCompile(`\x1b\[([0-9]+;)*(3[0-8]|9[0-7])[;m]`).MatchString(screen)
			if colored != tt.colors {
				w.Errorf("%s: got colors %v in %q", tt.env, colored, screen)
			}
			win.leaves("q")
		}
		c.stops()
	})
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
