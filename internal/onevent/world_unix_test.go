//go:build unix

package onevent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
	"github.com/cursor-ralph/cursor-ralph/test/loopfiles"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// bin is the folder of the hook; only TestMain sets it.
var bin string

// TestMain builds the hook as it is installed: these tests run it as the
// editor does.
func TestMain(m *testing.M) {
	os.Exit(sources.Main(m, &bin, "hook-test-", "cmd/cursor-ralph-hook"))
}

func program() string { return filepath.Join(bin, "cursor-ralph-hook") }

// world is where hooks run: folders of their own, and a workspace.
type world struct {
	*testing.T
	dir       string // all of it
	places    platform.Places
	logPath   string
	env       []string
	workspace string
	turn      *turns
	wrap      []string             // what runs the hook, instead of the system
	as        *syscall.SysProcAttr // as whom it is run
}

func newWorld(t *testing.T) world {
	t.Helper()
	dir := t.TempDir()
	w := world{T: t, dir: dir, workspace: filepath.Join(dir, "workspace"), turn: &turns{now: map[string]string{}}}
	for _, name := range []string{"tmp", "state", "workspace", "home"} {
		w.must(os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	return w.in(filepath.Join(dir, "tmp"), filepath.Join(dir, "state"))
}

// in is the world with other folders.
func (w world) in(base, archive string) world {
	w.Helper()
	vars := map[string]string{
		"CURSOR_RALPH_DIR": base, "CURSOR_RALPH_STATE_DIR": archive, "CURSOR_RALPH_NO_NOTIFY": "1", "CURSOR_RALPH_NO_WATCHER": "1",
		"HOME": filepath.Join(w.dir, "home"), "PATH": os.Getenv("PATH"),
	}
	w.env = nil
	for name, value := range vars {
		w.env = append(w.env, name+"="+value)
	}
	places, err := platform.Find(func(name string) string { return vars[name] })
	if err == nil { // else the hook has none either
		w.places, w.logPath = places, places.Log()
	}
	return w
}

// getenv is the environment of the hook, for one that runs in the test itself.
func (w world) getenv(name string) string {
	for _, pair := range w.env {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

func (w world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// turns gives generations as Cursor's editor does: a message begins another turn
// of its chat, and so does whatever comes after a stop.
type turns struct {
	sync.Mutex
	number int
	now    map[string]string // by chat; empty after a stop
}

func (t *turns) generation(chat, event string) string {
	t.Lock()
	defer t.Unlock()
	if t.now[chat] == "" || event == "beforeSubmitPrompt" {
		t.number++
		t.now[chat] = fmt.Sprint("turn-", t.number)
	}
	generation := t.now[chat]
	if event == "stop" {
		t.now[chat] = ""
	}
	return generation
}

// event is what Cursor sends, with the fields that a test adds or changes.
func (w world) event(name, id string, fields map[string]any) string {
	w.Helper()
	all := map[string]any{
		"conversation_id": id, "generation_id": w.turn.generation(id, name), "model": "some-model",
		"hook_event_name": name, "cursor_version": "3.18.25", "workspace_roots": []string{w.workspace},
		"user_email": nil, "transcript_path": nil,
	}
	maps.Copy(all, fields)
	data, err := json.Marshal(all)
	w.must(err)
	return string(data)
}

type fields = map[string]any

func (w world) stopEvent(id string) string {
	return w.event("stop", id, fields{"status": "completed", "loop_count": 0})
}

func (w world) says(id, text string) string {
	return w.event("afterAgentResponse", id, fields{"text": text})
}

func (w world) uses(id, call string) string {
	return w.event("postToolUse", id, fields{"tool_name": "Write", "tool_input": fields{"path": "x"}, "tool_output": "ok", "tool_use_id": call})
}

func (w world) sends(id, prompt string) string {
	return w.event("beforeSubmitPrompt", id, fields{"prompt": prompt, "attachments": []any{}})
}

// process is a hook that was started.
type process struct {
	w      world
	cmd    *exec.Cmd
	cancel func()
	stdout bytes.Buffer
	stderr bytes.Buffer
}

// tooLong is far beyond the five seconds that a hook may take.
const tooLong = 30 * time.Second

func (w world) start(event string, flags ...string) *process {
	w.Helper()
	return w.startOn(strings.NewReader(event), flags...)
}

// startOpen starts a hook whose standard input does not end after the event.
func (w world) startOpen(event string) *process {
	w.Helper()
	in, editor, err := os.Pipe()
	w.must(err)
	w.Cleanup(func() { w.must(errors.Join(in.Close(), editor.Close())) })
	_, err = editor.WriteString(event)
	w.must(err)
	return w.startOn(in)
}

func (w world) startOn(stdin io.Reader, flags ...string) *process {
	w.Helper()
	args := append(append(w.wrap[:len(w.wrap):len(w.wrap)], program()), flags...)
	ctx, cancel := context.WithTimeout(context.Background(), tooLong)
	p := &process{w: w, cancel: cancel, cmd: exec.CommandContext(ctx, args[0], args[1:]...)}
	p.cmd.Env, p.cmd.Dir, p.cmd.SysProcAttr = w.env, w.dir, w.as
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		w.Error(err)
	}
	return p
}

// answer waits for the end and checks what holds for every hook: it exits 0
// with one JSON object on its standard output and nothing else.
func (p *process) answer() map[string]any {
	p.w.Helper()
	defer p.cancel()
	if err := p.cmd.Wait(); err != nil {
		p.w.Errorf("got %v, want exit 0; it said %s", err, &p.stderr)
	}
	if p.stderr.Len() > 0 {
		p.w.Errorf("got %q on standard error, want nothing", &p.stderr)
	}
	var answer map[string]any
	if err := json.Unmarshal(p.stdout.Bytes(), &answer); err != nil || answer == nil {
		p.w.Errorf("got %q, want one JSON object (%v)", &p.stdout, err)
	}
	return answer
}

func (w world) hook(event string, flags ...string) map[string]any {
	w.Helper()
	return w.start(event, flags...).answer()
}

// rests runs a hook that has nothing to say.
func (w world) rests(event string, flags ...string) {
	w.Helper()
	if got := w.hook(event, flags...); len(got) != 0 {
		w.Errorf("got %v, want {}", got)
	}
}

// followup runs a hook and returns its message to the agent.
func (w world) followup(event string, flags ...string) string {
	w.Helper()
	text, _ := w.hook(event, flags...)["followup_message"].(string)
	return text
}

// together runs hooks at the same time.
func (w world) together(events ...string) []map[string]any {
	w.Helper()
	answers := make([]map[string]any, len(events))
	var group sync.WaitGroup
	for i, event := range events {
		group.Go(func() { answers[i] = w.hook(event) })
	}
	group.Wait()
	return answers
}

var seven, with = loopfiles.Seven, loopfiles.With

func (w world) exists(path string) bool { w.Helper(); return loopfiles.Exists(w, path) }

func (w world) files() map[string]string { w.Helper(); return loopfiles.Tree(w, w.dir) }

func (w world) write(path, content string) {
	w.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o700))
	w.must(os.WriteFile(path, []byte(content), 0o600))
}

func (w world) pending(name string) string {
	return filepath.Join(w.places.Pending(), name+".json")
}

func (w world) live(id string) loop.State {
	w.Helper()
	return w.parse(w.places.Live(id))
}

// recorded is the record of a conversation's loop.
func (w world) recorded(id string) loop.State {
	w.Helper()
	l, err := state.New(w.places, time.Now).Recorded(id)
	if err != nil {
		w.Error(err)
	}
	return l
}

func (w world) parse(path string) loop.State {
	w.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.Error(err)
		return loop.State{}
	}
	l, err := loop.Parse(data)
	if err != nil {
		w.Errorf("%s: %v", path, err)
	}
	return l
}

// log returns the lines of the log with a word in them.
func (w world) log(word string) (lines []string) {
	w.Helper()
	data, err := os.ReadFile(w.logPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Error(err)
	}
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, word) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// logged checks that a line of the log has a word.
func (w world) logged(word string) {
	w.Helper()
	if len(w.log(word)) == 0 {
		w.Errorf("got the log %q, want a line with %q", w.log(""), word)
	}
}

// count returns how often the loop with a task exists: pending, running, and
// over. A file that has ended counts as over wherever it lies, together with
// its record; a record of a running loop is a copy and does not count.
func (w world) count(task string) (pending, running, over int) {
	w.Helper()
	for path, content := range w.files() {
		dir, name := filepath.Split(path)
		if filepath.Ext(name) != ".json" || !strings.Contains(content, task) {
			continue
		}
		l, err := loop.Parse([]byte(content))
		if err != nil || l.Prompt != task {
			continue
		}
		switch {
		case l.Status.Ended():
			over = 1
		case strings.HasPrefix(dir, "state"):
		case strings.HasPrefix(name, "cursor-ralph-loop-"):
			running++
		default:
			pending++
		}
	}
	return pending, running, over
}

// once checks that a loop is there once.
func (w world) once(task string) {
	w.Helper()
	if pending, running, over := w.count(task); pending+running+over != 1 {
		w.Errorf("%s: got %d pending, %d running, %d over, want it once", task, pending, running, over)
	}
}

// lock takes one of our locks, as another process would.
func lock(path string) (release func() error, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), tooLong)
	defer cancel()
	return ownfile.Lock(ctx, path)
}

// run is the hook in this process.
func run(args []string, stdin io.Reader, stdout io.Writer, getenv func(string) string, now func() time.Time) {
	h := &handler{now: now, getenv: getenv, pid: os.Getpid(), ctx: context.Background()}
	h.time.renew()
	h.run(args, stdin, stdout)
}

const me = "11111111-aaaa-4bbb-8ccc-000000000001"

// lockAll takes the locks of all loops.
func (w world) lockAll() (release func()) {
	w.Helper()
	locks, err := filepath.Glob(filepath.Join(w.places.Pending(), ".loop-*.lock"))
	w.must(err)
	if len(locks) == 0 {
		w.Fatal("there is no lock yet")
	}
	var releases []func() error
	for _, path := range locks {
		release, err := lock(path)
		w.must(err)
		releases = append(releases, release)
	}
	return func() {
		for _, release := range releases {
			w.must(release())
		}
	}
}
