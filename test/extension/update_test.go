//go:build linux

package extension_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// machine is a home folder with an editor that has our extension.
type machine struct {
	*testing.T
	home, tools string
	env         []string
}

// kept is what cursor-ralph keeps of an extension.
type kept struct{ Bin, Plugin, Hooks string }

func newMachine(t *testing.T) machine {
	t.Helper()
	needsNode(t)
	deps := installed(t, "extension", "scripts/extension deps", "extension/package.json", "extension/package-lock.json")
	read(t, "extension", "plugin")
	m := machine{T: t, home: filepath.Join(t.TempDir(), "an 'odd' $HOME"), tools: t.TempDir()}
	m.env = append(os.Environ(), "HOME="+m.home, "CURSOR_RALPH_DIR="+t.TempDir(), "CURSOR_RALPH_STATE_DIR="+filepath.Join(m.home, "state"),
		"CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1", "SHELL=/bin/sh")
	m.run("node", filepath.Join(deps, "node_modules/esbuild/bin/esbuild"), filepath.Join(root, "extension/src/uninstalled.ts"),
		"--bundle", "--platform=node", "--format=cjs", "--log-level=error", "--outfile="+filepath.Join(m.tools, "uninstalled.js"))
	if err := sources.Programs(m.tools, "cmd/cursor-ralph", "cmd/cursor-ralph-hook"); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m machine) run(name string, args ...string) string {
	m.Helper()
	cmd := exec.Command(name, args...) // #nosec G204 -- a test
	cmd.Env = m.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.Fatalf("%s %s: %v\n%s", name, args, err, out)
	}
	return string(out)
}

func (m machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// unpack puts a version into the editor's folder of extensions, as a .vsix has it.
func (m machine) unpack(version string) (folder string) {
	m.Helper()
	folder = filepath.Join(m.home, ".cursor/extensions/cursor-ralph.cursor-ralph-"+version)
	m.must(os.CopyFS(filepath.Join(folder, "plugin"), os.DirFS(filepath.Join(root, "plugin"))))
	m.must(os.MkdirAll(filepath.Join(folder, "bin"), 0o700))
	m.must(os.MkdirAll(filepath.Join(folder, "dist"), 0o700))
	for from, to := range map[string]string{"cursor-ralph": "bin", "cursor-ralph-hook": "bin", "uninstalled.js": "dist"} {
		data, err := os.ReadFile(filepath.Join(m.tools, from))
		m.must(err)
		m.must(os.WriteFile(filepath.Join(folder, to, from), data, 0o700))
	}
	m.must(os.WriteFile(filepath.Join(folder, "package.json"), fmt.Appendf(nil, `{"version": %q}`, version), 0o600))
	var carried strings.Builder
	for _, part := range []string{"bin", "plugin"} {
		m.must(filepath.WalkDir(filepath.Join(folder, part), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			fmt.Fprintf(&carried, "%x  %s\n", sha256.Sum256(data), strings.TrimPrefix(path, folder+"/"))
			return err
		}))
	}
	m.must(os.WriteFile(filepath.Join(folder, "carried"), []byte(carried.String()), 0o600))
	return folder
}

// start is what the extension does when it starts.
func (m machine) start(extension string) (p kept) {
	m.Helper()
	out := m.run(filepath.Join(extension, "bin/cursor-ralph"), "editor", "--keep", extension)
	m.must(json.Unmarshal([]byte(out), &p))
	return p
}

// event has a plugin's hooks see an event, as Cursor does: by a login shell.
func (m machine) event(p kept, name string, more map[string]any) (answer struct {
	Followup string `json:"followup_message"`
}) {
	m.Helper()
	raw, err := os.ReadFile(filepath.Join(p.Plugin, "hooks/hooks.json"))
	m.must(err)
	var hooks struct {
		Hooks map[string][]struct{ Command string }
	}
	m.must(json.Unmarshal(raw, &hooks))
	event := map[string]any{"hook_event_name": name, "conversation_id": "chat-1", "cursor_version": "3.15.0", "workspace_roots": []string{m.tools}}
	for key, value := range more {
		event[key] = value
	}
	input, err := json.Marshal(event)
	m.must(err)
	cmd := exec.Command("/bin/sh", "-lc", hooks.Hooks[name][0].Command) // #nosec G204 -- a test
	cmd.Env, cmd.Stdin = m.env, bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		m.Fatalf("%s: %v\n%s", name, err, out)
	}
	m.must(json.Unmarshal(out, &answer))
	return answer
}

// turn is one run of the agent, from a prompt to a stop. It returns what continues it.
func (m machine) turn(p kept, n int, prompt, words string) string {
	m.Helper()
	var followup string
	for _, e := range []struct {
		name string
		more map[string]any
	}{
		{"beforeSubmitPrompt", map[string]any{"prompt": prompt}},
		{"postToolUse", map[string]any{"tool_name": "Write", "tool_use_id": fmt.Sprint("t", n)}},
		{"afterAgentResponse", map[string]any{"text": words}},
		{"stop", map[string]any{"status": "completed", "loop_count": n}},
	} {
		e.more["generation_id"] = fmt.Sprint("g", n)
		followup = m.event(p, e.name, e.more).Followup
	}
	return followup
}

// TestAnUpdateDoesNotBreakARunningLoop: the editor removes the old version's folder, while a window of it still runs its hooks, and
// another starts with the new version.
func TestAnUpdateDoesNotBreakARunningLoop(t *testing.T) {
	m := newMachine(t)
	first := m.unpack("1.0.0")
	p := m.start(first)
	got := m.turn(p, 0, `/ralph-loop "make it green" --verify "test -e done"`, "working")
	if !strings.Contains(got, "make it green") {
		t.Fatalf("got %q, want a continuation\n%s", got, m.run(filepath.Join(p.Bin, "cursor-ralph"), "log"))
	}
	second := m.unpack("2.0.0")
	m.must(os.RemoveAll(first))
	if got = m.turn(p, 1, got, "working"); !strings.Contains(got, "[Ralph loop 3/20]") {
		t.Errorf("between the removal and the new version's start: got %q", got)
	}
	if fresh := m.start(second); fresh != p {
		t.Errorf("got %+v after %+v", fresh, p)
	}
	if got = m.turn(p, 2, got, "<promise>COMPLETE</promise>"); !strings.Contains(got, "[Ralph loop 4/20]") {
		t.Errorf("a verification that fails: got %q", got)
	}
	m.must(os.WriteFile(filepath.Join(m.tools, "done"), nil, 0o600))
	if got = m.turn(p, 3, got, "<promise>COMPLETE</promise>"); got != "" {
		t.Errorf("after the verification: got %q", got)
	}
	if status := m.run(filepath.Join(p.Bin, "cursor-ralph"), "status", "chat-1", "--json"); !strings.Contains(status, "PROMISE_ACCEPTED") {
		t.Errorf("got %s", status)
	}
	m.leavesRecords(second)
}

// TestHooksInstalledFromTheCopy: an update leaves their path, and they are used instead of the plugin, until the extension goes.
func TestHooksInstalledFromTheCopy(t *testing.T) {
	m := newMachine(t)
	p := m.start(m.unpack("1.0.0"))
	hooks := filepath.Join(m.home, ".cursor/hooks.json")
	m.run(filepath.Join(p.Bin, "cursor-ralph"), "install")
	second := m.unpack("2.0.0")
	if got := m.start(second).Hooks; got != hooks {
		t.Errorf("got %q, want %s", got, hooks)
	}
	if raw, err := os.ReadFile(hooks); err != nil || !strings.Contains(string(raw), "share/cursor-ralph/editor/bin/cursor-ralph-hook") {
		t.Errorf("got %s, %v, want hooks in %s", raw, err, p.Bin)
	}
	m.must(os.RemoveAll(filepath.Join(filepath.Dir(second), "cursor-ralph.cursor-ralph-1.0.0")))
	m.run("node", filepath.Join(second, "dist/uninstalled.js"))
	if raw, _ := os.ReadFile(hooks); strings.Contains(string(raw), "cursor-ralph") {
		t.Errorf("got %s, want it without our hook", raw)
	}
	if left, err := filepath.Glob(filepath.Join(m.home, ".local/share/*")); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want nothing", left, err)
	}
}

// leavesRecords uninstalls the extension, as the editor does.
func (m machine) leavesRecords(extension string) {
	m.Helper()
	m.run("node", filepath.Join(extension, "dist/uninstalled.js"))
	m.must(os.RemoveAll(extension))
	left, err := filepath.Glob(filepath.Join(m.home, ".local/share/*"))
	if err != nil || len(left) > 0 {
		m.Errorf("got %v, %v, want nothing", left, err)
	}
	if records, _ := filepath.Glob(filepath.Join(m.home, "state", "loops", "*.json")); len(records) == 0 {
		m.Error("the records are gone")
	}
}
