//go:build linux

package answers_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/procs"
)

// A hook that is killed while a gate runs in cursor-ralph leaves nothing running.
func TestAKilledHookEndsItsGate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home, repo, mark := filepath.Join(dir, "home"), filepath.Join(dir, "repo"), filepath.Join(dir, "mark")
	settings := filepath.Join(home, ".config", "cursor-ralph", "config.toml")
	for _, folder := range []string{filepath.Dir(settings), repo, filepath.Join(dir, "tmp")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	text := "[loop]\nverify = " + strconv.Quote("echo $$ >"+mark+"; exec sleep 300") + "\n"
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	hook := func(name string, fields map[string]string) *exec.Cmd {
		payload := map[string]any{"conversation_id": "c1", "hook_event_name": name, "generation_id": "g", "workspace_roots": []string{repo}}
		for key, value := range fields {
			payload[key] = value
		}
		data, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "cursor-ralph-hook"))
		cmd.Stdin, cmd.Dir = strings.NewReader(string(data)), repo
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/sh", "CURSOR_RALPH_DIR=" + filepath.Join(dir, "tmp"),
			"CURSOR_RALPH_STATE_DIR=" + filepath.Join(dir, "state"), "CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1"}
		return cmd
	}
	for _, e := range []struct {
		name   string
		fields map[string]string
	}{{"beforeSubmitPrompt", map[string]string{"prompt": "/ralph-loop build it"}}, {"postToolUse", map[string]string{"tool_name": "Write"}}, {"afterAgentResponse", map[string]string{"text": "<promise>COMPLETE</promise>"}}} {
		if out, err := hook(e.name, e.fields).CombinedOutput(); err != nil || string(out) != "{}\n" && !strings.Contains(string(out), "additional_context") {
			t.Fatalf("%s: %v, %s", e.name, err, out)
		}
	}
	stop := hook("stop", map[string]string{"status": "completed"})
	if err := stop.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	await(t, "the gate", func() bool {
		data, _ := os.ReadFile(mark)
		pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		return pid > 0
	})
	if err := stop.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = stop.Wait() // it was killed
	await(t, "the end of the gate", func() bool { return syscall.Kill(pid, 0) != nil })
	await(t, "the end of all that was started", func() bool { return len(procs.With("CURSOR_RALPH_STATE_DIR="+filepath.Join(dir, "state"))) == 0 })
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not come", what)
		}
	}
}
