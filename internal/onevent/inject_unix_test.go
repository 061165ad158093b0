//go:build unix

package onevent

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
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// beside installs the hook in a folder of its own, with a cursor-ralph that is
// this shell script. Its arguments go into a file, a line for each call.
func (w world) beside(script string) world {
	w.Helper()
	dir := filepath.Join(w.dir, "bin")
	w.must(os.Mkdir(dir, 0o755))
	hook, err := os.ReadFile(program())
	w.must(err)
	w.must(sources.WriteProgram(filepath.Join(dir, "cursor-ralph-hook"), hook, 0o755))
	if script != "" {
		calls := `echo "$@" >>"` + w.callsPath() + "\"\n"
		w.must(sources.WriteProgram(filepath.Join(dir, "cursor-ralph"), []byte("#!/bin/sh\n"+calls+script), 0o755))
	}
	w.wrap = []string{"/bin/sh", "-c", `shift; exec "` + filepath.Join(dir, "cursor-ralph-hook") + `" "$@"`, "sh"}
	w.env = append(w.env, "DISPLAY=:7", "WAYLAND_DISPLAY=")
	return w
}

func (w world) callsPath() string { return filepath.Join(w.dir, "calls") }

// atLimit is a loop whose next stop is the last of its session.
func (w world) atLimit() (event string) {
	w.write(w.places.Live("a"), seven("the task"))
	return w.event("stop", "a", fields{"status": "completed", "loop_count": 4, "cursor_version": "2.4.1"})
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
	t.Parallel()
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
