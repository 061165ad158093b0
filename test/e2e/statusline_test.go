//go:build unix

package e2e_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// snippet is the block of a language in docs/watch.md.
func (w *world) snippet(language string) string {
	w.Helper()
	data, err := os.ReadFile("../../docs/watch.md")
	w.must(err)
	_, chapter, _ := strings.Cut(string(data), "\n## A status bar\n")
	_, rest, ok := strings.Cut(chapter, "```"+language+"\n")
	block, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		w.Fatalf("docs/watch.md has no block of %s", language)
	}
	return block
}

// draws runs a command as a bar does, in a folder and with something on standard
// input.
func (w *world) draws(dir, command, stdin string) string {
	w.Helper()
	cmd := exec.CommandContext(w.ctx, "/bin/sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, w.env(), strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("%s: %v: %s", command, err, out)
	}
	return strings.TrimSpace(string(out))
}

// turn1 is a chat whose loop is in its second iteration.
func (w *world) turn1() *chat {
	c := w.chat()
	c.starts(`"make it green"`)
	c.works()
	c.goesOn()
	return c
}

const chip = "Loop • Running • Iter 2/20"

func TestStatusLineInTmux(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("needs tmux")
	}
	once(t, func(w *world) {
		c := w.turn1()
		w.until("the status line", func() bool { return strings.Contains(w.screen(tmux, w.repo()), chip) })
		hostile := w.workspace("it's; a $(touch gone) folder")
		w.must(os.MkdirAll(filepath.Join(hostile, ".git"), 0o755))
		w.ok(hostile, "start", "make it blue")
		w.until("that of a folder with an odd name", func() bool { return strings.Contains(w.screen(tmux, hostile), "Loop • Pending") })
		for _, dir := range []string{w.dir, w.home(), hostile, w.repo(), "."} {
			if _, err := os.Stat(filepath.Join(dir, "gone")); err == nil {
				w.Errorf("the folder's name was run, in %s", dir)
			}
		}
		c.stops()
	})
}

// screen is what a tmux with our lines in its configuration shows of a folder.
// Another tmux is the terminal in which it is looked at.
func (w *world) screen(tmux, folder string) string {
	w.Helper()
	conf := filepath.Join(w.dir, "tmux.conf")
	outer := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(w.ctx, tmux, append([]string{"-u", "-S", filepath.Join(w.dir, "outer"), "-f", "/dev/null"}, args...)...)
		cmd.Env = append(w.env(), "TERM=xterm-256color")
		return cmd
	}
	session := fmt.Sprintf("s%d", len(folder))
	if outer("has-session", "-t", "="+session).Run() != nil { // not there yet
		w.write(conf, strings.Replace(w.snippet("tmux"), "status-interval 5", "status-interval 1", 1)) // once: tmux may be reading it later
		w.must(outer("new-session", "-d", "-x", "120", "-y", "10", "-s", session, "env", "-u", "TMUX", tmux, "-u",
			"-S", filepath.Join(w.dir, "inner"), "-f", conf, "new-session", "-c", folder, "exec sleep 90").Run())
		w.Cleanup(func() {
			for _, socket := range []string{"inner", "outer"} {
				_ = exec.Command(tmux, "-S", filepath.Join(w.dir, socket), "kill-server").Run() // it may be gone
			}
		})
	}
	out, err := outer("capture-pane", "-p", "-t", "="+session+":").Output()
	w.must(err)
	return string(out)
}

func TestStatusLineOfStarship(t *testing.T) {
	once(t, func(w *world) {
		var config struct {
			Custom map[string]struct {
				Description, Command, Format, Style string
				When                                bool
			}
		}
		d := toml.NewDecoder(strings.NewReader(w.snippet("toml"))).DisallowUnknownFields()
		w.must(d.Decode(&config))
		command := config.Custom["ralph"].Command
		if got := w.draws(w.repo(), command, ""); got != "" {
			w.Errorf("without a loop: got %q, want nothing", got)
		}
		c := w.turn1()
		if got := w.draws(w.repo(), command, ""); got != chip {
			w.Errorf("got %q, want %q", got, chip)
		}
		c.stops()
	})
}

// The input is the documented one, cut to what has to do with it.
func TestStatusLineOfCursorsCLI(t *testing.T) {
	once(t, func(w *world) {
		var config struct {
			StatusLine struct{ Type, Command string }
		}
		w.must(json.Unmarshal([]byte(w.snippet("json")), &config))
		c := w.turn1()
		for _, session := range []string{c.ID, "abc123"} {
			input := encode(map[string]any{
				"session_id": session, "session_name": "my session", "transcript_path": "/path/to/transcript.jsonl", "cwd": w.repo(),
				"model":     map[string]any{"id": "m", "display_name": "M", "max_mode": true},
				"workspace": map[string]any{"current_dir": w.repo(), "project_dir": w.repo(), "added_dirs": []string{}},
			})
			if got := w.draws(w.home(), config.StatusLine.Command, input); got != chip {
				w.Errorf("session %s: got %q, want %q", session, got, chip)
			}
		}
		c.stops()
	})
}
