//go:build unix

package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/procs"
	"github.com/cursor-ralph/cursor-ralph/test/schema"
	"github.com/cursor-ralph/cursor-ralph/test/simcursor"
)

// world is one user's machine: a home in which cursor-ralph is installed, a
// /tmp, and any number of workspaces, each with a Cursor of its own.
type world struct {
	*testing.T
	variant
	ctx      context.Context
	dir      string
	cursors  map[string]*simcursor.Cursor // by workspace
	extra    []string                     // further variables of the environment
	troubles []string                     // errors that the hook's log may tell about
	broken   []string                     // what hooks may do wrong, because the test makes them
}

// patience is how long a test may take before it has hung, on a machine that does much else.
const patience = 5 * time.Minute

// newWorld is a machine on which the variant's installations were made.
func newWorld(t *testing.T, v variant) *world {
	t.Helper()
	w := bareWorld(t, v)
	w.install()
	return w
}

func (w *world) install() {
	w.Helper()
	for _, args := range w.installs {
		w.ok(w.repo(), append([]string{"install"}, args...)...)
	}
}

// limited sets a session limit of five in the settings: the simulated Cursor has no limit.
func (w *world) limited() {
	w.Helper()
	w.settings("[hook]\nsession-limit = 5\n")
}

// installInto makes the variant's installation in another project, if it has
// one.
func (w *world) installInto(workspace string) {
	w.Helper()
	for _, args := range w.installs {
		if slices.Contains(args, "--project") {
			w.ok(workspace, append([]string{"install"}, args...)...)
		}
	}
}

// bareWorld is a machine without cursor-ralph.
func bareWorld(t *testing.T, v variant) *world {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(v.patience, patience))
	t.Cleanup(cancel)
	w := &world{T: t, variant: v, ctx: ctx, dir: t.TempDir(), cursors: map[string]*simcursor.Cursor{}}
	for _, dir := range []string{w.home(), w.tmp(), w.repo()} {
		w.must(os.MkdirAll(dir, 0o755))
	}
	w.write(filepath.Join(w.home(), ".profile"), w.profileOf())
	if w.config != "" {
		w.settings(w.config)
	}
	t.Cleanup(w.check)
	t.Cleanup(w.endProcesses)
	return w
}

func (w *world) home() string    { return filepath.Join(w.dir, "home") }
func (w *world) tmp() string     { return filepath.Join(w.dir, "tmp") }
func (w *world) archive() string { return filepath.Join(w.home(), "state") }

// record returns the path of the record of a conversation's only loop.
func (w *world) record(id string) string {
	w.Helper()
	paths, err := filepath.Glob(filepath.Join(w.archive(), "loops", "*.json"))
	w.must(err)
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil && bytes.Contains(data, []byte(`"conversation_id": "`+id+`"`)) {
			return path
		}
	}
	return ""
}
func (w *world) repo() string { return w.workspace("repo") }

// requests writes a request for any chat, as people do by hand.
func (w *world) requests(task string) {
	w.Helper()
	w.write(filepath.Join(w.pending(), "1700000000000-7.json"), fmt.Sprintf(`{"prompt": %q}`, task))
}

func (w *world) pending() string { return filepath.Join(w.tmp(), "cursor-ralph-pending") }
func (w *world) live(id string) string {
	return filepath.Join(w.tmp(), "cursor-ralph-loop-"+id+".json")
}

// workspace is a folder of the user's that Cursor can open.
func (w *world) workspace(name string) string { return filepath.Join(w.home(), "code", name) }

// profileOf is what a login shell reads: a project's entries have the program's bare name, and /etc/profile
// may set the PATH anew.
func (w *world) profileOf() string {
	if w.hidden {
		return w.profile
	}
	return `PATH="` + bin + `:$PATH"` + "\n" + w.profile
}

func (w *world) env() []string {
	path := os.Getenv("PATH")
	if !w.hidden {
		path = bin + ":" + path
	}
	return append([]string{
		"HOME=" + w.home(), "PATH=" + path, "SHELL=" + w.loginShell(), "TMPDIR=" + w.tmp(),
		"CURSOR_RALPH_DIR=" + w.tmp(), "CURSOR_RALPH_STATE_DIR=" + w.archive(), "CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1",
	}, w.extra...)
}

func (w *world) loginShell() string {
	if w.shell == "" {
		return "/bin/sh"
	}
	return w.shell
}

// check is what must hold at the end of every test: no hook broke Cursor's
// rules, and the log reports no trouble that the test did not make.
func (w *world) check() {
	for _, cursor := range w.cursors {
		for _, v := range cursor.Violations() {
			expected := func(s string) bool { return strings.Contains(fmt.Sprint(v), s) }
			if !slices.ContainsFunc(w.broken, expected) {
				w.Errorf("violation: %s", v)
			}
		}
	}
	for line := range strings.Lines(w.log()) {
		expected := func(s string) bool { return strings.Contains(line, s) }
		if strings.Contains(line, "action=error") && !slices.ContainsFunc(w.troubles, expected) {
			w.Errorf("the log has an error: %s", line)
		}
	}
	if w.Failed() {
		w.Logf("the log:\n%s", w.log())
		for _, f := range w.files() {
			w.Logf("left over: %s", f)
		}
	}
}

// endProcesses ends the watcher, which stays as long as an ended loop's live file, and waits for
// every other process of the world: its folder goes then.
func (w *world) endProcesses() {
	var left map[int]string
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if left = procs.With("CURSOR_RALPH_DIR=" + w.tmp()); len(left) == 0 {
			return
		}
		for pid, line := range left {
			if strings.Contains(line, "/cursor-ralph watcher") {
				_ = syscall.Kill(pid, syscall.SIGTERM) // it may have ended
			}
		}
	}
	w.Errorf("left behind: %v", left)
}

func (w *world) log() string {
	data, err := os.ReadFile(filepath.Join(w.tmp(), "cursor-ralph-stop-hook.log"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Error(err)
	}
	return string(data)
}

// files returns the names of all that lies in /tmp, locks left out.
func (w *world) files() []string {
	var names []string
	err := fs.WalkDir(os.DirFS(w.tmp()), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasSuffix(path, "lock") {
			names = append(names, path)
		}
		return err
	})
	w.must(err)
	return names
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) write(path, content string) {
	w.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	syscall.ForkLock.RLock() // or a process that is forked meanwhile holds a script open, and it cannot be run
	defer syscall.ForkLock.RUnlock()
	w.must(os.WriteFile(path, []byte(content), 0o644))
}

// terminal runs cursor-ralph as the user does, in a terminal outside Cursor.
func (w *world) terminal(dir string, args ...string) (stdout, stderr string, exit int) {
	w.Helper()
	var out, complaints bytes.Buffer
	cmd := exec.CommandContext(w.ctx, filepath.Join(bin, "cursor-ralph"), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, w.env(), &out, &complaints
	err := cmd.Run()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		w.Fatal(err)
	}
	return out.String(), complaints.String(), cmd.ProcessState.ExitCode()
}

// ok is terminal for what must succeed.
func (w *world) ok(dir string, args ...string) string {
	w.Helper()
	out, complaint, exit := w.terminal(dir, args...)
	if exit != 0 {
		w.Fatalf("cursor-ralph %s: exit code %d\n%s%s", strings.Join(args, " "), exit, out, complaint)
	}
	return out
}

// refused is terminal for what must fail, and returns the complaint.
func (w *world) refused(dir string, args ...string) string {
	w.Helper()
	out, complaint, exit := w.terminal(dir, args...)
	if exit == 0 {
		w.Fatalf("cursor-ralph %s: got exit code 0\n%s", strings.Join(args, " "), out)
	}
	return complaint
}

// loopStatus is a loop as status --json shows it, with its history and follow-up from its file.
type loopStatus struct {
	ID                string      `json:"id"`
	Prompt            string      `json:"prompt"`
	Status            string      `json:"status"`
	Reason            string      `json:"reason"`
	PauseReason       string      `json:"pause_reason"`
	Iterations        int         `json:"iterations"`
	SessionIterations int         `json:"session_iterations"`
	MaxIterations     int         `json:"max_iterations"`
	ToolCalls         int         `json:"tool_calls"`
	LastOutput        string      `json:"last_output"`
	Workspace         string      `json:"workspace"`
	History           []iteration `json:"history"`
	Followup          struct {
		Outcome string    `json:"outcome"`
		DueAt   time.Time `json:"due_at"`
	} `json:"delivery"`
}

// iteration is one of a loop's history.
type iteration struct {
	Number  int            `json:"iteration"`
	Promise string         `json:"promise"`
	Refused string         `json:"refused"`
	Warning string         `json:"warning"`
	Tools   map[string]int `json:"tools"`
	Files   []string       `json:"files"`
	Errors  []string       `json:"errors"`
	Context []string       `json:"context"`
	Action  string         `json:"action"`
}

// status is what cursor-ralph tells about a loop, and what its file has beside that.
func (w *world) status(id string) (l loopStatus) {
	w.Helper()
	for _, path := range []string{w.live(id), w.record(id)} {
		data, err := os.ReadFile(path)
		if err == nil && (path != w.live(id) || !bytes.Contains(data, []byte(`"ended_at"`))) {
			w.must(json.Unmarshal(data, &l))
			break
		}
	}
	out := w.ok(w.repo(), "status", "--json", id)
	schema.Check(w, "status", out)
	var shown struct{ Loops []json.RawMessage }
	w.must(json.Unmarshal([]byte(out), &shown))
	l.PauseReason = ""
	w.must(json.Unmarshal(shown.Loops[0], &l))
	return l
}

// wantStatus checks where a loop stands and how far it came.
func (w *world) wantStatus(id, status string, iterations int) loopStatus {
	w.Helper()
	l := w.status(id)
	if l.Status != status || l.Iterations != iterations {
		w.Errorf("the loop of %s: got %s after %d iterations (%s), want %s after %d", id, l.Status, l.Iterations, l.Reason, status, iterations)
	}
	return l
}

// listed returns the conversations that cursor-ralph list shows, or the ids of loops without one.
func (w *world) listed(args ...string) []string {
	w.Helper()
	var entries []struct {
		ID           string
		Conversation string `json:"conversation_id"`
	}
	w.must(json.Unmarshal([]byte(w.ok(w.repo(), append([]string{"list", "--json"}, args...)...)), &entries))
	ids := []string{}
	for _, e := range entries {
		ids = append(ids, cmp.Or(e.Conversation, e.ID))
	}
	return ids
}

func (w *world) wantNoLoops() {
	w.Helper()
	if ids := w.listed(); len(ids) > 0 {
		w.Errorf("got loops %q, want none", ids)
	}
}

func (w *world) wantPart(what, text, part string) {
	w.Helper()
	if !strings.Contains(text, part) {
		w.Errorf("%s: got %q, want %q in it", what, text, part)
	}
}

func (w *world) wantNoPart(what, text, part string) {
	w.Helper()
	if strings.Contains(text, part) {
		w.Errorf("%s: got %q, want no %q in it", what, text, part)
	}
}

// change edits a file of state by hand, as a person with an editor does.
func (w *world) change(path string, fields map[string]any) {
	w.Helper()
	data, err := os.ReadFile(path)
	w.must(err)
	var object map[string]any
	w.must(json.Unmarshal(data, &object))
	for name, value := range fields {
		object[name] = value
	}
	w.write(path+".edited", encode(object)) // replaced whole: one of our processes may be reading it
	w.must(os.Rename(path+".edited", path))
}

func encode(v any) string {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("a test's value cannot be JSON: %v", err))
	}
	return string(data)
}

func (w *world) settings(text string) {
	w.Helper()
	w.write(filepath.Join(w.home(), ".config", "cursor-ralph", "config.toml"), text)
}
