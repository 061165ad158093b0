//go:build unix

// Package terminal is a window of tmux in which a test uses a program as a user does.
package terminal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Window is a terminal with a shell in it, which has the prompt "ready> ".
type Window struct {
	*testing.T
	socket string
	env    []string
	limit  time.Duration // of each wait
}

// Open opens one of so many cells, with an environment, in a folder. Without tmux the test is skipped.
func Open(t *testing.T, wide, high int, folder string, env []string, limit time.Duration) *Window {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	dir, err := os.MkdirTemp("", "tmux") // the name of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	w := &Window{T: t, socket: filepath.Join(dir, "s"), env: append(env[:len(env):len(env)], "LANG=C.UTF-8", "TERM=xterm-256color"), limit: limit}
	t.Cleanup(func() {
		w.Tmux("kill-server")
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	w.Tmux("-f", os.DevNull, "new-session", "-d", "-x", fmt.Sprint(wide), "-y", fmt.Sprint(high), "-c", folder, "exec env PS1='ready> ' ENV= sh")
	w.Sees("ready>")
	return w
}

// Tmux calls tmux about the window, and returns what it printed.
func (w *Window) Tmux(args ...string) string {
	w.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", w.socket}, args...)...)
	cmd.Env = w.env
	out, err := cmd.CombinedOutput()
	if err != nil && args[0] != "kill-server" {
		w.Fatalf("tmux %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Types sends letters as they are.
func (w *Window) Types(text string) { w.Helper(); w.Tmux("send-keys", "-l", text) }

// Presses presses keys by tmux's names of them.
func (w *Window) Presses(keys ...string) {
	w.Helper()
	w.Tmux(append([]string{"send-keys"}, keys...)...)
}

// Runs has the shell run a command.
func (w *Window) Runs(command string) { w.Helper(); w.Types(command); w.Presses("Enter") }

// Screen is what the user sees.
func (w *Window) Screen() string { w.Helper(); return w.Tmux("capture-pane", "-p") }

// Sees waits until all parts are on the screen, and returns it.
func (w *Window) Sees(parts ...string) string {
	w.Helper()
	return w.Waits(fmt.Sprintf("%q", parts), func(screen string) bool {
		for _, part := range parts {
			if !strings.Contains(screen, part) {
				return false
			}
		}
		return true
	})
}

// Waits waits until the screen is as it should be, and returns it.
func (w *Window) Waits(what string, is func(screen string) bool) string {
	w.Helper()
	for end := time.Now().Add(w.limit); ; time.Sleep(20 * time.Millisecond) {
		screen := w.Screen()
		if is(screen) {
			return screen
		}
		if time.Now().After(end) {
			w.Fatalf("got the screen\n%s\nwant %s", screen, what)
		}
	}
}
