//go:build unix

package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// beside installs the hook in a folder of its own, with a cursor-ralph that is
// this shell script. Its arguments go into a file, a line for each call.
func (w world) beside(script string) world {
	w.Helper()
	dir := filepath.Join(w.dir, "bin")
	w.must(os.Mkdir(dir, 0o755))
	hook, err := os.ReadFile(program())
	w.must(err)
	w.must(os.WriteFile(filepath.Join(dir, "cursor-ralph-hook"), hook, 0o755))
	if script != "" {
		calls := `echo "$@" >>"` + w.callsPath() + "\"\n"
		w.must(os.WriteFile(filepath.Join(dir, "cursor-ralph"), []byte("#!/bin/sh\n"+calls+script), 0o755))
	}
	w.wrap = []string{"/bin/sh", "-c", `shift; exec "` + filepath.Join(dir, "cursor-ralph-hook") + `" "$@"`, "sh"}
	w.env = append(w.env, "DISPLAY=:7", "WAYLAND_DISPLAY=")
	return w
}

func (w world) callsPath() string { return filepath.Join(w.dir, "calls") }

func (w world) asked() []string {
	w.Helper()
	data, err := os.ReadFile(w.callsPath())
	if err != nil && !os.IsNotExist(err) {
		w.Error(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// atLimit is a loop whose next stop is the last of its session.
func (w world) atLimit() (event string) {
	w.write(w.places.Live("a"), seven("the task"))
	return w.event("stop", "a", fields{"status": "completed", "loop_count": 4})
}

func TestWhoTypesAtTheSessionLimit(t *testing.T) {
	const yes, no = "exit 0", "exit 1"
	announced := t.TempDir()
	if err := os.WriteFile(filepath.Join(announced, "1.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	bridge := "CURSOR_DESKTOP_BRIDGE_DIR=" + announced
	dry := []string{"inject --dry-run --any -- a", "inject --injection "}
	for _, tt := range []struct {
		name, script string
		env, flags   []string
		calls        []string // as far as they can be foretold
		handsOver    bool
		outcome      string
		log          string
	}{
		{"we do, where it is possible", yes, nil, nil, []string{"inject --dry-run --any -- a", "inject --injection "}, false, "", "action=inject"},
		{"with the settings of hooks.json", yes, nil, []string{"--injectors", "xtest,wtype", "--focus-keys=ctrl+i", "--type-unchecked"},
			[]string{"inject --dry-run --any --injectors xtest,wtype --focus-keys ctrl+i --type-unchecked -- a", "inject --injection "}, false, "", ""},
		{"with a key that submits", yes, nil, []string{"--submit-key", "ctrl+enter"},
			[]string{"inject --dry-run --any --submit-key ctrl+enter -- a", "inject --injection "}, false, "", ""},
		{"Cursor itself, without a desktop", yes, []string{"DISPLAY=", bridge}, nil, dry, false, "", "action=inject"},
		{"Cursor itself, which needs longer than a display", "sleep 1.3; exit 0", []string{bridge}, nil, dry, false, "", "action=inject"},
		{"the user, where Cursor itself does not", no, []string{"DISPLAY=", bridge}, nil, dry[:1], true, "", "cursor-ralph doctor tells more"},
		{"the user, where it is not", no, nil, nil, []string{"inject --dry-run --any -- a"}, true, "", "cursor-ralph doctor tells more"},
		{"the user, where nobody knows in time", "exec sleep 20", nil, nil, []string{"inject --dry-run --any -- a"}, true, "", "did not end in time"},
		{"the user, where cursor-ralph is missing", "", nil, nil, []string{""}, true, "", "no such file"},
		{"the user, without a desktop", yes, []string{"DISPLAY="}, nil, []string{""}, true, "", "neither WAYLAND_DISPLAY nor DISPLAY is set"},
		{"the user, if it cannot be started", `rm "$0"`, nil, nil, []string{"inject --dry-run --any -- a"}, false, "it could not be started", "action=error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if strings.Contains(tt.script, "sleep") {
				short.Skip(t)
			}
			w := newWorld(t).beside(tt.script)
			w.env = append(w.env, tt.env...)
			text := w.followup(w.atLimit(), tt.flags...)
			l := w.live("a")
			if handsOver := text != ""; handsOver != tt.handsOver || l.Status != loop.Waiting {
				t.Errorf("got %q and %s, want the hand-over: %v", text, l.Status, tt.handsOver)
			}
			if len(tt.calls) == 2 { // the typer is not waited for
				waitFor(t, "the typer", func() bool { return len(w.asked()) == 2 })
			}
			for i, call := range w.asked() {
				if i >= len(tt.calls) || !strings.HasPrefix(call, tt.calls[i]) {
					t.Errorf("call %d: got %q, want them as %q", i+1, call, tt.calls)
				}
			}
			if !strings.HasPrefix(string(l.Injection.Outcome), tt.outcome) || (l.Injection.ID == "") != tt.handsOver {
				t.Errorf("got the injection %+v, want the outcome %q", l.Injection, tt.outcome)
			}
			w.logged(tt.log)
		})
	}
}

// TestAnIDIsNoOption: a chat may not consent to anything by its name.
func TestAnIDIsNoOption(t *testing.T) {
	const id = "--type-unchecked"
	w := newWorld(t).beside("exit 1")
	w.write(w.places.Live(id), seven("the task"))
	w.followup(w.event("stop", id, fields{"status": "completed", "loop_count": 4}))
	if got := w.asked(); len(got) != 1 || got[0] != "inject --dry-run --any -- "+id {
		t.Errorf("got the calls %q", got)
	}
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(tooLong); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it does not come about", what)
		}
	}
}

// TestTheTyperOutlivesTheHook: the editor waits for the hook's streams, and for
// any other that it passed on; and it may kill all that the hook started.
func TestTheTyperOutlivesTheHook(t *testing.T) {
	w := newWorld(t).beside(`case "$*" in *--dry-run*) exit 0 ;; esac
echo $$ >"$0.pid.new" && mv "$0.pid.new" "$0.pid" && exec sleep 600`)
	event := w.atLimit()
	extra, passed, err := os.Pipe()
	w.must(err)
	defer extra.Close()
	cmd := exec.Command(filepath.Join(w.dir, "bin", "cursor-ralph-hook"))
	cmd.Env, cmd.Stdin, cmd.ExtraFiles = w.env, strings.NewReader(event), []*os.File{passed}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdout, err := cmd.StdoutPipe()
	w.must(err)
	w.must(cmd.Start())
	w.must(passed.Close())
	answer, err := io.ReadAll(stdout) // to its end: nobody has it any more
	w.must(err)
	if n, err := extra.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the pipe that was passed on: got %d, %v, want its end", n, err)
	}
	var object map[string]any
	if err := json.Unmarshal(answer, &object); err != nil || len(object) != 0 {
		t.Errorf("got the answer %q, want {}", answer)
	}
	pidFile := filepath.Join(w.dir, "bin", "cursor-ralph.pid")
	waitFor(t, "the typer", func() bool { return w.exists(pidFile) })
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // the hook may be gone, and its group with it
	_ = cmd.Wait()
	data, err := os.ReadFile(pidFile)
	w.must(err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	w.must(err)
	if proc.Gone(pid) {
		t.Error("the typer died with the hook")
	}
	w.must(syscall.Kill(pid, syscall.SIGKILL))
}
