//go:build unix

package simcursor_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/simcursor"
)

func (w *world) fifo(name string) string {
	w.Helper()
	path := filepath.Join(w.Workspace, name)
	w.must(syscall.Mkfifo(path, 0o600))
	return path
}

func TestHooksOfAnEventRunInParallel(t *testing.T) {
	w := newWorld(t)
	a, b := w.fifo("a"), w.fifo("b")
	const rest = "; cat >/dev/null; echo '{}'"
	w.project(hooks{"stop": {{"command": "echo x >" + a + "; read y <" + b + rest, "timeout": 10}}})
	w.user(hooks{"stop": {{"command": "read y <" + a + "; echo x >" + b + rest, "timeout": 10}}})
	for _, run := range w.chat(nil).Runs("stop") {
		if run.TimedOut {
			t.Errorf("the %s hook did not meet the other", run.Place)
		}
	}
}

func TestTimeoutKillsTheProcessGroup(t *testing.T) {
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

func TestTurnWaitsForOpenOutput(t *testing.T) {
	for _, stream := range []string{"", " >/dev/null", " 2>/dev/null"} {
		w := newWorld(t)
		mark := filepath.Join(w.Workspace, "let go")
		w.project(hooks{"stop": {{"loop_limit": 1,
			"command": "(sleep 0.3; touch '" + mark + "')" + stream + " & " + followup("more")}}})
		w.chat(func(turn *simcursor.Turn) {
			if _, err := os.Stat(mark); turn.Followup && err != nil {
				t.Errorf("with %q the turn began while a grandchild held a stream", stream)
			}
		})
	}
}

func TestOutputHeldUntilTheTimeoutIsNoAnswer(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": {{"timeout": 0.5, "command": "sleep 60 & " + followup("more")}}})
	ch := w.chat(nil)
	run := ch.Runs("stop")[0]
	if len(ch.Messages()) != 1 || !run.TimedOut || run.Exit != 0 || !strings.Contains(run.Problem, "held open") {
		t.Errorf("got %+v, want an unused answer", run)
	}
}

func TestTimeoutHoldsForOutputHeldOutsideTheGroup(t *testing.T) {
	w := newWorld(t)
	self, err := os.Executable()
	w.must(err)
	w.project(hooks{"stop": {{"timeout": 1, "command": "SIMCURSOR_LEAVE=1 '" + self + "' & " + says("{}")}}})
	run := w.chat(nil).Runs("stop")[0]
	if !run.TimedOut || !strings.Contains(run.Stdout, "left") || run.Duration > 8*time.Second {
		t.Errorf("got %+v", run)
	}
}

func TestDetachedGrandchildIsNotWaitedFor(t *testing.T) {
	w := newWorld(t)
	fifo := w.fifo("wait")
	detach := "(read x <" + fifo + ") </dev/null >/dev/null 2>&1 & "
	w.project(hooks{"stop": {{"command": detach + followup("more"), "loop_limit": 1, "timeout": 10}}})
	equal(t, "messages", w.chat(nil).Messages(), []string{"go", "more"})
	w.must(os.WriteFile(fifo, []byte("end\n"), 0)) // it still reads
}

func TestExtraDescriptorMustBeClosed(t *testing.T) {
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

func TestEnvironmentAndFolder(t *testing.T) {
	w := newWorld(t)
	w.Env = append(w.Env, "OURS=1", "CURSOR_CONVERSATION_ID=from outside", "CURSOR_AGENT=1")
	w.Version, w.Email = "9.9.9", "me@example.com"
	h := hooks{"stop": {{"command": `cat >/dev/null; pwd -P; env; echo '{}'`}}}
	for i, run := range w.project(h).user(h).chat(nil).Runs("stop") {
		lines := strings.Split(run.Stdout, "\n")
		dir, err := filepath.EvalSymlinks([]string{w.Workspace, filepath.Join(w.Home, ".cursor")}[i])
		w.must(err)
		for _, want := range []string{dir, "HOME=" + w.Home, "OURS=1", "CURSOR_VERSION=9.9.9",
			"CURSOR_PROJECT_DIR=" + w.Workspace, "CURSOR_USER_EMAIL=me@example.com"} {
			if !slices.Contains(lines, want) {
				t.Errorf("%s hook: got %q, want %q in it", run.Place, run.Stdout, want)
			}
		}
		for _, never := range []string{"CURSOR_CONVERSATION_ID", "CURSOR_AGENT", "CURSOR_TRANSCRIPT_PATH"} {
			if strings.Contains(run.Stdout, never) {
				t.Errorf("%s hook: got %s in %q", run.Place, never, run.Stdout)
			}
		}
	}
}

func TestHooksRunInALoginShell(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": {{"command": says(`{"followup_message":"'$FROM_PROFILE'"}`), "loop_limit": 1}}})
	w.file(w.Home, ".profile", "FROM_PROFILE=profile\necho welcome\n")
	equal(t, "messages", w.chat(nil).Messages(), []string{"go", "profile"})
}

func TestInputAsHereDocumentReachesTheLastPartOnly(t *testing.T) {
	w := newWorld(t).project(hooks{"stop": {{"command": "cat >first; cat >last; echo '{}'"}, {"command": "echo one | cat >piped && cat >second"}}})
	w.Options.HereDoc = true
	w.Options.BOM = true
	w.chat(nil)
	for name, want := range map[string]bool{"first": false, "last": false, "second": true} {
		data, err := os.ReadFile(filepath.Join(w.Workspace, name))
		w.must(err)
		if got := strings.HasPrefix(string(data), "\ufeff{"); got != want {
			t.Errorf("%s: got %q", name, data)
		}
	}
}

func TestInputIsOneJSONObjectAsJavaScriptWritesIt(t *testing.T) {
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

func TestMatcherIsUnanchored(t *testing.T) {
	w := newWorld(t).project(hooks{
		"afterShellExecution": {{"command": says("{}"), "matcher": "needle"}, {"command": says("{}"), "matcher": "^needle"}},
		"postToolUse":         {{"command": says("{}"), "matcher": "hel"}, {"command": says("{}"), "matcher": "needle"}, {"command": says("{}"), "matcher": "Write|Read"}},
	})
	ch := w.chat(func(turn *simcursor.Turn) { turn.Shell("echo a needle") })
	if got := len(ch.Runs("afterShellExecution")); got != 1 {
		t.Errorf("got %d runs for the command, want 1", got)
	}
	if got := len(ch.Runs("postToolUse")); got != 1 {
		t.Errorf("got %d runs for the tool, want 1", got)
	}
}
