//go:build unix

package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

var runs = flag.Int("runs", 2, "measured runs of each program in each case")

const (
	task = "make all tests pass, then tidy up"
	chat = "chat-1"
)

// measurement is an event, and what may answer it.
type measurement struct {
	name     string
	most     float64 // times the floor
	event    map[string]any
	loop     bool   // the chat has one
	crowd    int    // loops, pending files and records of others
	settings string // the user's config.toml
	git      bool   // the workspace is a work tree
	goesOn   bool   // the answer is the next iteration, else {}
}

func measurements() []measurement {
	stop := map[string]any{"hook_event_name": "stop", "status": "completed", "loop_count": 0}
	prompt := map[string]any{"hook_event_name": "beforeSubmitPrompt", "prompt": strings.Repeat("please look into this ", 20), "attachments": []string{}}
	tool := map[string]any{"hook_event_name": "postToolUse", "tool_name": "Shell", "tool_input": map[string]string{"command": "go test ./..."},
		"tool_output": strings.Repeat("ok  example.com/a/package  0.012s\n", 60), "duration": 1200}
	const noLoop, quick, goesOn, inGit = 1.15, 1.3, 2.5, 4
	return []measurement{
		{name: "stop, no loop", most: noLoop, event: stop},
		{name: "stop, no loop, 1000 others", most: noLoop, event: stop, crowd: 1000},
		{name: "prompt, no loop", most: noLoop, event: prompt},
		{name: "tool call, no loop", most: noLoop, event: tool},
		{name: "tool call in a loop", most: quick, event: tool, loop: true},
		{name: "stop that goes on", most: goesOn, event: stop, loop: true, goesOn: true},
		{name: "stop that goes on, 1000 others", most: goesOn, event: stop, loop: true, crowd: 1000, goesOn: true},
		{name: "stop that goes on, with settings", most: goesOn, event: stop, loop: true, settings: "[loop]\nmax-iterations = 30\n", goesOn: true},
		{name: "stop that goes on, in git", most: inGit, event: stop, loop: true, git: true, goesOn: true},
	}
}

// program is one that can be a hook.
type program struct {
	name  string
	argv  []string
	loops bool // it keeps loops
}

func TestTable(t *testing.T) {
	dir := t.TempDir()
	programs := build(t, dir)
	var scenes []scene
	for i, m := range measurements() {
		scenes = append(scenes, newScene(t, filepath.Join(dir, fmt.Sprint(i)), m, programs))
	}
	for round := range *runs + 1 + *runs/10 { // the first are not counted
		for _, i := range rand.Perm(len(scenes)) {
			for _, j := range rand.Perm(len(programs)) {
				took := scenes[i].run(t, programs[j])
				if round > *runs/10 {
					scenes[i].taken[programs[j].name] = append(scenes[i].taken[programs[j].name], took)
				}
			}
		}
	}
	out := fmt.Sprintf("%d runs of each on %s: %s, %s/%s, %d CPUs\n\n| event | floor ms | ours ms | times | at most | | bash ms | times |\n|---|--:|--:|--:|--:|---|--:|--:|\n",
		*runs, time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, s := range scenes {
		out += s.row()
	}
	_, _ = os.Stdout.WriteString(out)
}

func BenchmarkHook(b *testing.B) {
	dir := b.TempDir()
	programs := build(b, dir)
	for i, m := range measurements() {
		s := newScene(b, filepath.Join(dir, fmt.Sprint(i)), m, programs)
		for _, p := range programs {
			b.Run(fmt.Sprintf("case=%s/by=%s", strings.ReplaceAll(m.name, " ", "_"), p.name), func(b *testing.B) {
				var took time.Duration
				for b.Loop() {
					took += s.run(b, p)
				}
				b.ReportMetric(float64(took)/float64(b.N), "ns/op")
			})
		}
	}
}

// build returns the programs, the floor first. Bash's need jq.
func build(t testing.TB, dir string) []program {
	t.Helper()
	must(t, sources.Programs(dir, "test/bench/floor", "cmd/cursor-ralph-hook", "cmd/cursor-ralph"))
	list := []program{
		{name: "floor", argv: []string{filepath.Join(dir, "floor")}},
		{name: "ours", argv: []string{filepath.Join(dir, "cursor-ralph-hook")}, loops: true},
	}
	if exec.Command("/bin/bash", "-c", "type mapfile jq").Run() != nil {
		t.Log("not measured: hooks in bash, since jq or a bash of version 4 is missing")
		return list
	}
	bash, err := filepath.Abs("bash")
	must(t, err)
	return append(list, program{name: "bash", argv: []string{"/bin/bash", bash}, loops: true})
}

// scene has folders in which a measurement runs.
type scene struct {
	measurement
	root   string
	number *int // of the event
	taken  map[string][]time.Duration
}

func newScene(t testing.TB, root string, m measurement, programs []program) scene {
	t.Helper()
	s := scene{m, root, new(int), map[string][]time.Duration{}}
	for _, folder := range []string{"tmp/cursor-ralph-pending", "state", "state/loops", "workspace", "home/.config/cursor-ralph"} {
		must(t, os.MkdirAll(filepath.Join(root, folder), 0o700))
	}
	if m.settings != "" {
		s.write(t, "home/.config/cursor-ralph/config.toml", m.settings)
	}
	if m.git {
		must(t, exec.Command("git", "init", "-q", filepath.Join(root, "workspace")).Run())
	}
	for i := range m.crowd {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", i*2654435761%(1<<32), i)
		s.write(t, "tmp/cursor-ralph-loop-"+id+".json", loopFile)
		s.write(t, "tmp/cursor-ralph-pending/"+id+"-p.json", loopFile)
		s.write(t, fmt.Sprintf("state/loops/k%04d.json", i), strings.Replace(loopFile, `"stop"`, `"status": "CANCELLED", "stop"`, 1))
	}
	return s
}

const loopFile = `{"prompt": "` + task + `", "max_iterations": 10000, "completion_promise": "COMPLETE", "iterations": 0, "session_iterations": 0, "stop": false, "last_output": ""}`

func (s scene) write(t testing.TB, name, content string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(s.root, name), []byte(content), 0o600))
}

// prepare makes the chat's loop what it was before the event, for both hooks.
func (s scene) prepare(t testing.TB) {
	if s.loop {
		s.write(t, "tmp/cursor-ralph-loop-"+chat+".json", loopFile)
		s.write(t, "tmp/bash-loop-"+chat+".json", loopFile)
	}
}

// run returns how long a program took until it closed its standard output, which is what the editor waits for.
func (s scene) run(t testing.TB, p program) time.Duration {
	t.Helper()
	s.prepare(t)
	argv := p.argv
	if p.name == "bash" {
		script := "other.sh"
		switch s.event["hook_event_name"] {
		case "stop":
			script = "stop.sh"
		case "postToolUse":
			script = "tool.sh"
		}
		argv = []string{argv[0], filepath.Join(argv[1], script)}
	}
	took, answer := s.start(t, argv)
	if err := s.check(p, answer); err != nil {
		t.Fatalf("%s: %s answered %q: %v", s.name, p.name, answer, err)
	}
	return took
}

func (s scene) start(t testing.TB, argv []string) (time.Duration, string) {
	t.Helper()
	input, output := s.input(t)
	defer input.Close()
	attr := &os.ProcAttr{Dir: filepath.Join(s.root, "workspace"), Env: s.env(), Files: []*os.File{input, output[1], os.Stderr}}
	began := time.Now()
	process, err := os.StartProcess(argv[0], argv, attr)
	must(t, errors.Join(err, output[1].Close()))
	answer, err := io.ReadAll(output[0])
	took := time.Since(began)
	state, failed := process.Wait() // a hook stays on for a moment
	must(t, errors.Join(err, failed, output[0].Close()))
	if !state.Success() {
		t.Fatalf("%s: %v: %s", s.name, argv, state)
	}
	return took, string(answer)
}

// input has the next event: each is another one, which the hook would otherwise know again.
func (s scene) input(t testing.TB) (event *os.File, output [2]*os.File) {
	t.Helper()
	*s.number++
	all := map[string]any{
		"conversation_id": chat, "generation_id": fmt.Sprint("generation-", *s.number), "tool_use_id": fmt.Sprint("tool-", *s.number), "model": "a-model",
		"cursor_version": "3.18.25", "workspace_roots": []string{filepath.Join(s.root, "workspace")}, "user_email": "somebody@example.com", "transcript_path": nil,
	}
	for name, value := range s.event {
		all[name] = value
	}
	data, err := json.Marshal(all)
	must(t, err)
	s.write(t, "event.json", string(data))
	event, err = os.Open(filepath.Join(s.root, "event.json"))
	must(t, err)
	output[0], output[1], err = os.Pipe()
	must(t, err)
	return event, output
}

func (s scene) env() []string {
	in := func(name string) string { return filepath.Join(s.root, name) }
	return []string{
		"CURSOR_RALPH_DIR=" + in("tmp"), "CURSOR_RALPH_STATE_DIR=" + in("state"), "HOME=" + in("home"), "PATH=" + os.Getenv("PATH"),
		"CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1",
	}
}

// check wants the answer that the case is about, or something else was measured.
func (s scene) check(p program, answer string) error {
	if !s.goesOn || !p.loops {
		if string(bytes.TrimSpace([]byte(answer))) != "{}" {
			return errors.New("want {}")
		}
		if s.loop && p.loops { // it wrote the call down
			name := map[bool]string{true: "bash-loop-" + chat + ".json.tools", false: "cursor-ralph-loop-" + chat + ".journal"}[p.name == "bash"]
			info, err := os.Stat(filepath.Join(s.root, "tmp", name))
			if err != nil || info.Size() == 0 {
				return fmt.Errorf("it wrote nothing down: %w", err)
			}
		}
		return nil
	}
	var a struct {
		Message string `json:"followup_message"`
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		return err
	}
	for _, part := range []string{"[Ralph loop 2/", task, "<promise>COMPLETE</promise>"} {
		if !strings.Contains(a.Message, part) {
			return fmt.Errorf("want a follow-up with %q", part)
		}
	}
	return nil
}

func (s scene) row() string {
	floor, ours := median(s.taken["floor"]), median(s.taken["ours"])
	ratio, mark := ours/floor, ""
	if ratio > s.most {
		mark = "over"
	}
	bash := "| |"
	if taken := s.taken["bash"]; len(taken) > 0 {
		bash = fmt.Sprintf("%.2f | %.1f |", median(taken), median(taken)/floor)
	}
	return fmt.Sprintf("| %s | %.2f | %.2f | %.2f | %.2f | %s | %s\n", s.name, floor, ours, ratio, s.most, mark, bash)
}

// median returns milliseconds.
func median(taken []time.Duration) float64 {
	sorted := slices.Sorted(slices.Values(taken))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]).Seconds() * 1000 / 2
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
