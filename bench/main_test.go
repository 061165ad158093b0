package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	speed "github.com/cursor-ralph/cursor-ralph/test/short"
)

// built is where the programs are; only TestMain sets it.
var built string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "cursor-ralph-bench-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	built = dir
	if _, err := build(context.Background(), settings{}, built); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// newBench runs each case once.
func newBench(t *testing.T) *bench {
	t.Helper()
	in := func(name string) string { return filepath.Join(built, name+exe()) }
	return &bench{
		settings: settings{n: 1, warmup: 1, crowd: 3, tools: 4}, work: workplace{disk: t.TempDir()},
		programs: programs{floor: in("floor"), hook: in("cursor-ralph-hook"), peak: in("peak"), cli: in("cursor-ralph")},
	}
}

func TestBenchMeasuresTheFloorAgainstItself(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(strings.Fields("-self -n 2 -warmup 1 -crowd 3 -raw"), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	for _, want := range []string{
		"\ngoos: ", "\ncpus: ", "\nBenchmarkEvent/case=stop,_no_loop/place=disk/by=floor 1 ", "/by=hook 1 ",
		"\nBenchmarkSize/case=stop,_no_loop/by=hook 1 ", " ns/op\n", "\nBenchmarkCrowd/case=stop,_goes_on/place=disk/others=3/by=hook 1 ",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("got no %q in:\n%s", want, stdout.String())
		}
	}
}

func TestEveryPartHasItsTable(t *testing.T) {
	speed.Skip(t)
	b := newBench(t)
	r := &record{}
	if err := b.parts(t.Context(), r, io.Discard); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.write(t.Context(), &out, settings{markdown: true, n: 1}, "cpu: x\n"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"Event", "Size", "Crowd", "Claim", "List", "Bash", "Turn", "Panel"} {
		if !strings.Contains(out.String(), "\n.name: "+table+"\n") && len(r.missing) == 0 {
			t.Errorf("no table %q in:\n%s", table, out.String())
		}
	}
	for _, want := range []string{"# Benchmarks", "A short run: ", "ok  ", "of at most 1.20", "7_hooks", "login", "cpu-sec/op"} {
		if !strings.Contains(out.String(), want) && len(r.missing) == 0 {
			t.Errorf("got no %q in:\n%s", want, out.String())
		}
	}
}

func TestRunsAreNotLostWithoutBenchstat(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	r := &record{}
	r.add("Event", key("case", "stop"), "hook", 5, "ns/op")
	var out bytes.Buffer
	err := r.write(t.Context(), &out, settings{n: 1}, "cpu: x\n")
	if err == nil || !strings.Contains(err.Error(), "benchstat") || out.String() != "cpu: x\nBenchmarkEvent/case=stop/by=hook 1 5 ns/op\n" {
		t.Errorf("got %q, %v", out.String(), err)
	}
}

func TestBenchRefusesAnAnswerThatDoesNotFit(t *testing.T) {
	follow := `{"followup_message":"[Ralph loop 2/9] ` + task + ` <promise>COMPLETE</promise>"}`
	for _, tt := range []struct {
		name   string
		fits   func([]byte) error
		answer string
		ok     bool
	}{
		{"nothing to say", empty, "{}\n", true},
		{"nothing said", empty, "", false},
		{"something said without a loop", empty, `{"followup_message":"x"}`, false},
		{"a tool event may have an answer", quiet, `{"additional_context":"x"}`, true},
		{"but no follow-up", quiet, `{"followup_message":"x"}`, false},
		{"a loop goes on", goesOn(2, task), follow, true},
		{"a loop goes on to another iteration", goesOn(3, task), follow, false},
		{"a loop goes on with another task", goesOn(2, "another"), follow, false},
		{"a loop goes on without a marker", goesOn(2, task), strings.ReplaceAll(follow, "promise", "x"), false},
		{"a loop stood still", goesOn(2, task), `{}`, false},
		{"not JSON", goesOn(2, task), `oops`, false},
		{"a line for each", table(2), "ID\na\nb\n", true},
		{"a line too few", table(2), "ID\na\n", false},
	} {
		if err := tt.fits([]byte(tt.answer)); (err == nil) != tt.ok {
			t.Errorf("%s: got %v, want ok %t", tt.name, err, tt.ok)
		}
	}
}

// fake is a program that reads its input and answers always the same.
func fake(t *testing.T, answer string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fake")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat >/dev/null\necho '"+answer+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestABinaryThatIsNoHookIsNotMeasured(t *testing.T) {
	speed.Skip(t)
	needsShell(t)
	for _, tt := range []struct{ part, answer, want string }{
		// By chance any case comes first, and each says in its own words what it wants.
		{"speed", "", `answered "\n"`},
		{"speed", `{"followup_message":"go on"}`, `answered "{\"followup_message`},
		{"speed", "{}", "want"}, // never goes on, and records nothing
		{"growth", "{}", "want"},
		{"claims", "{}", "want a follow-up"},
		{"shells", "{}", "hook is no hook of a loop: step 3"},
		{"turns", "{}", "turn 1 of hook"},
	} {
		b := newBench(t)
		b.settings.only = tt.part
		b.replaceHook(t, fake(t, tt.answer))
		err := b.parts(t.Context(), &record{}, io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s, %q: got %v, want %q", tt.part, tt.answer, err, tt.want)
		}
	}
}

// TestAHookThatForgetsIsNotMeasured: it answers as it should, and writes no tool
// call down.
func TestAHookThatForgetsIsNotMeasured(t *testing.T) {
	speed.Skip(t)
	needsShell(t)
	b := newBench(t)
	b.settings.only = "speed"
	path := filepath.Join(t.TempDir(), "forgetful")
	script := "#!/bin/sh\nevent=$(cat)\ncase $event in\n*postToolUse*) echo '{}' ;;\n" +
		"*) printf '%s' \"$event\" | '" + b.programs.hook + "' \"$@\" ;;\nesac\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	b.replaceHook(t, path)
	err := b.parts(t.Context(), &record{}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "tool use in a loop") || !strings.Contains(err.Error(), ".journal") {
		t.Errorf("got %v, want what is not written down", err)
	}
}

// replaceHook installs another hook in the bench, and a cursor-ralph that installs it.
func (b *bench) replaceHook(t *testing.T, by string) {
	t.Helper()
	dir := t.TempDir()
	cli := filepath.Join(dir, filepath.Base(b.programs.cli))
	b.programs.hook = filepath.Join(dir, filepath.Base(b.programs.hook))
	for _, err := range []error{os.Link(b.programs.cli, cli), os.WriteFile(b.programs.hook, nil, 0o700), replace(b.programs.hook, by)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	b.programs.cli = cli
}

func TestAHookInBashThatAnswersWrongIsNotMeasured(t *testing.T) {
	needsShell(t)
	b := newBench(t)
	_, ours, bash, err := b.contestants()
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []hooks{ours, bash} {
		if err := b.tryOut(h); err != nil {
			t.Errorf("got %v, want a hook of a loop", err)
		}
	}
	stop := bash.of["stop"][0].Command
	for _, tt := range []struct{ event, command, want string }{
		{"stop", fake(t, "{}"), "step 3"},
		{"stop", fake(t, `{"followup_message":"[Ralph loop 2/9] refused <promise>COMPLETE</promise>"}`), "step 6"},
		{"postToolUse", fake(t, "{}"), "step 8"}, // nothing counted, so the promise is refused
		{"afterAgentResponse", fake(t, "{}"), "step 3"},
		{"beforeSubmitPrompt", fake(t, "oops"), "step 1"},
	} {
		broken := hooks{"bash", map[string][]installed{}}
		for event, entries := range bash.of {
			broken.of[event] = entries
		}
		broken.of[tt.event] = []installed{{Command: tt.command}}
		if err := b.tryOut(broken); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s instead of %s: got %v, want %s", tt.command, stop, err, tt.want)
		}
	}
}

// TestALoopInBashBeginsAndEnds is about what the comparison does not need, but a
// loop does.
func TestALoopInBashBeginsAndEnds(t *testing.T) {
	needsShell(t)
	b := newBench(t)
	bash, err := b.unpack()
	if err != nil {
		t.Fatal(err)
	}
	s, err := newScene("disk", b.work.disk, "bash")
	if err != nil {
		t.Fatal(err)
	}
	const odd = `fix "all" of $HOME, it's \ everything`
	aborted := stopEvent(0)
	aborted["status"] = "aborted"
	for i, step := range []struct {
		event event
		fits  func([]byte) error
	}{
		{promptEvent("/ralph-loop " + odd), empty},
		{stopEvent(0), goesOn(2, odd)},
		{aborted, empty},
		{stopEvent(1), empty},
		{promptEvent("/ralph-loop once more"), empty},
		{stopEvent(2), goesOn(2, "once more")},
	} {
		if _, err := b.fire(bash, s, "chat", step.event, true, step.fits); err != nil {
			t.Errorf("step %d: %v", i+1, err)
		}
	}
	for i := range 18 {
		if _, err := b.fire(bash, s, "chat", stopEvent(3), false, goesOn(3+i, "once more")); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.fire(bash, s, "chat", stopEvent(3), false, empty); err != nil {
		t.Errorf("after 20 iterations: %v", err)
	}
}

// needsShell skips where the hooks in bash cannot run; scripts/setup has what
// they need.
func needsShell(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"/bin/bash", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s, for the hooks in bash", tool)
		}
	}
}

func TestAMatcherLooksAtTheCommand(t *testing.T) {
	h := hooks{"hook", map[string][]installed{"afterShellExecution": {{Command: "hook", Matcher: "cursor-ralph"}}}}
	for command, want := range map[string]int{"go test ./...": 0, "cursor-ralph note x": 1} {
		got, err := h.commands(event{"hook_event_name": "afterShellExecution", "command": command}, true)
		if err != nil || len(got) != want {
			t.Errorf("%s: got %v, %v, want %d", command, got, err, want)
		}
		if want == 1 && !slices.Equal(got[0], []string{userShell(), "-lc", "hook"}) {
			t.Errorf("got %q, want what Cursor runs", got[0])
		}
	}
}

func TestSizesGoUpToTheLargest(t *testing.T) {
	for most, want := range map[int]int{1: 1, 3: 2, 100: 2, 1000: 3, 10_000: 3, 100_000: 4} {
		if got := sizes(most); len(got) != want || got[len(got)-1] != most || got[0] != 1 {
			t.Errorf("%d: got %v, want %d of them", most, got, want)
		}
	}
}

func TestTargetsAreMetOrMissed(t *testing.T) {
	for _, tt := range []struct {
		times []int // of the hook; the floor takes 10
		most  float64
		want  string
	}{
		{[]int{14, 99, 15}, 1.5, "ok    1.50 of at most 1.50  x (disk, 0 others), times the floor"},
		{[]int{14, 17}, 1.5, "over  1.55 of at most 1.50  x (disk, 0 others), times the floor"},
	} {
		r := &record{}
		r.addCase("Event", timed("x", 0, tt.most, tt.times...))
		if got := r.targets[0].String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	r := &record{}
	if r.addCase("Event", timed("x", 0, 0, 99)); len(r.targets) > 0 {
		t.Errorf("got %v of a case without a target", r.targets)
	}
}

func TestACrowdIsComparedWithOneOther(t *testing.T) {
	got := growths([]*benchCase{timed("x", 1, 0, 20), timed("x", 100, 0, 24), timed("y", 1, 0, 99), timed("z", 100, 0, 99)})
	if len(got) != 1 || got[0].String() != "over  1.20 of at most 1.10  x (disk, 100 others), times that with one" {
		t.Errorf("got %v", got)
	}
}

// timed is a measured case, in milliseconds.
func timed(name string, others int, most float64, hook ...int) *benchCase {
	c := &benchCase{scene: scene{place: "disk", others: others}, name: name, target: most, runners: []runner{{name: "floor"}, {name: "hook"}}}
	c.taken = [][]sample{{{wall: 10 * time.Millisecond}}, nil}
	for _, ms := range hook {
		c.taken[1] = append(c.taken[1], sample{wall: time.Duration(ms) * time.Millisecond})
	}
	return c
}

// TestWithoutJQ has a PATH with nothing but go.
func TestWithoutJQ(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(goTool, filepath.Join(dir, "go")); err != nil {
		t.Skip("needs symbolic links")
	}
	t.Setenv("PATH", dir)
	t.Setenv("CI", "true")
	var stdout, stderr bytes.Buffer
	code := run(strings.Fields("-n 1 -warmup 1 -crowd 2 -only shells,turns"), &stdout, &stderr)
	const want = "the comparison with hooks in bash: "
	if code != 1 || strings.Count(stdout.String(), want) != 1 || !strings.Contains(stderr.String(), want) {
		t.Errorf("got exit code %d, want 1, and the error once\n%s%s", code, stdout.String(), stderr.String())
	}
	t.Setenv("CI", "")
	b := newBench(t)
	b.settings.only = "shells,turns"
	if err := b.parts(t.Context(), &record{}, io.Discard); err != nil {
		t.Errorf("outside of CI: got %v, want the rest to be measured", err)
	}
}

func TestAnInterruptedBenchEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := &bench{settings: settings{n: 1, warmup: 1}, work: workplace{disk: t.TempDir()}}
	err := b.repeat(ctx, []*benchCase{{}}, 1)
	if err == nil || err.Error() != "interrupted" {
		t.Errorf("got %v, want interrupted", err)
	}
}
