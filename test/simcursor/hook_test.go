//go:build unix

package simcursor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

func (w *world) fifo(name string) string {
	w.Helper()
	path := filepath.Join(w.Workspace, name)
	w.must(syscall.Mkfifo(path, 0o600))
	return path
}

func TestTimeoutKillsTheProcessGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fifo := w.fifo("held") // a reader sees its end when the last holder is dead
	w.project(hooks{"stop": {{"timeout": 0.5, "loop_limit": 1,
		"command": `cat >/dev/null; echo '{"followup_message":"x"}'; exec 3>` + fifo + `; sleep 60 >/dev/null & wait`}}})
	dead := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(fifo)
		dead <- err
	}()
	ch := w.chat(nil)
	select {
	case err := <-dead:
		w.must(err)
	case <-time.After(20 * time.Second):
		t.Error("a grandchild survived")
	}
	run := ch.Runs("stop")[0]
	if run.Problem != "timed out" || run.Answer != nil || len(ch.Messages()) != 1 || len(run.Violations()) != 1 {
		t.Errorf("got %+v, want a timeout without an answer", run)
	}
}

func TestExtraDescriptorMustBeClosed(t *testing.T) {
	t.Parallel()
	for held, want := range map[string]bool{"": true, " 3>&-": false} {
		w := newWorld(t)
		w.Options.ExtraFD = true
		w.project(hooks{"stop": {{"timeout": 0.5,
			"command": "echo x >&3; (sleep 2" + held + ") </dev/null >/dev/null 2>&1" + held + " & " + says("{}")}}})
		if got := w.chat(nil).Runs("stop")[0]; got.TimedOut != want {
			t.Errorf("with%s: got timeout %v, want %v: %+v", held, got.TimedOut, want, got)
		}
	}
}

func TestInputIsOneJSONObjectAsJavaScriptWritesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t).project(hooks{"beforeSubmitPrompt": {{"command": "tee in >/dev/null; echo '{}'"}}})
	w.Roots = []string{"/other"}
	ch := w.open().Chat(func(*simcursor.Turn) {})
	w.send(ch, "<b> & \"c\"\n")
	data, err := os.ReadFile(filepath.Join(w.Workspace, "in"))
	w.must(err)
	if !strings.Contains(string(data), `"<b> & \"c\"\n"`) || strings.HasSuffix(string(data), "\n") {
		t.Errorf("got %s", data)
	}
	var got map[string]any
	w.must(json.Unmarshal(data, &got))
	for key, want := range map[string]any{"conversation_id": ch.ID, "hook_event_name": "beforeSubmitPrompt",
		"model": "composer-2", "cursor_version": "3.6.21", "user_email": nil, "transcript_path": nil} {
		if value, ok := got[key]; !ok || value != want {
			t.Errorf("%s: got %v, want %v", key, value, want)
		}
	}
	if roots, ok := got["workspace_roots"].([]any); !ok || len(roots) != 2 || roots[0] != w.Workspace {
		t.Errorf("got roots %v", got["workspace_roots"])
	}
	if _, ok := got["session_id"]; ok || got["generation_id"] == "" {
		t.Errorf("got %v", got)
	}
}
