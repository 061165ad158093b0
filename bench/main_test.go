package main

import (
	"bytes"
	"context"
	"encoding/json"
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
	if code := run(strings.Fields("-self -n 2 -warmup 1 -crowd 3 -json"), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	var got result
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatalf("%v in:\n%s", err, stdout.String())
	}
	if len(got.Speed) < 9 || len(got.Growth) < 8 || got.Hook.Bytes == 0 || got.Hook.Bytes != got.Floor.Bytes {
		t.Errorf("got %+v", got)
	}
	for _, r := range append(got.Speed, got.Growth...) {
		if r.Floor <= 0 || r.Median <= 0 || r.Ratio <= 0 || (r.Others > 1) != (r.VsOne > 0) {
			t.Errorf("got row %+v", r)
		}
	}
	if m := got.Machine; m.Date == "" || m.Go == "" || m.CPUs == 0 {
		t.Errorf("got the machine %+v", m)
	}
}

func TestEveryPartHasItsTable(t *testing.T) {
	speed.Skip(t)
	b := newBench(t)
	r := result{Runs: 1}
	if err := b.parts(t.Context(), &r, io.Discard); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.write(&out, settings{markdown: true}); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{
		"One event", "Size", "Among many others", "Pending files that no chat owns", "All loops at once",
		"Beside hooks in bash", "A whole iteration",
	} {
		if !strings.Contains(out.String(), "\n## "+title+"\n") && len(r.Missing) == 0 {
			t.Errorf("no table %q in:\n%s", title, out.String())
		}
	}
	if !strings.Contains(out.String(), "A short run: ") {
		t.Error("one run of each case is not called short")
	}
	for _, x := range r.Turns {
		if want := 4 + 3; x.Hooks != want || x.CPU <= 0 || x.LoginCPU <= 0 {
			t.Errorf("got %+v, want %d processes and their time", x, want)
		}
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
		{"a line for each", lines(2), "a\nb\n", true},
		{"a line too few", lines(2), "a\n", false},
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
		err := b.parts(t.Context(), &result{}, io.Discard)
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
	err := b.parts(t.Context(), &result{}, io.Discard)
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

func TestMissedTargetsAreCalledOver(t *testing.T) {
	r := result{
		Speed:  []row{{Case: "slow", Ratio: 3, Target: 2}, {Case: "told", Ratio: 9, OK: true}},
		Growth: []row{{Case: "grows", Others: 100, Ratio: 1, Target: 2, VsOne: 1.2}},
		Claims: []claim{{Files: claimFiles, Median: 120, Target: claimTarget}},
		Hook:   size{Bytes: 5e6, PeakNoLoopKiB: 20 << 10, PeakGoesOnKiB: 1},
	}
	var out bytes.Buffer
	if err := r.write(&out, settings{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "over"); got != 5 {
		t.Errorf("got %d times over, want 5:\n%s", got, out.String())
	}
}

func TestTargetsAreMetOrMissed(t *testing.T) {
	const ms = time.Millisecond
	of := func(target float64, hook time.Duration) row {
		return newRow(&benchCase{name: "x", target: target, taken: [][]sample{{{wall: ms}}, {{wall: hook}}}})
	}
	one := row{Case: "x", Others: 1, Ratio: 1.0}
	for _, tt := range []struct {
		name string
		got  bool
		want bool
	}{
		{"just met", of(1.5, 1500*time.Microsecond).OK, true},
		{"just missed", of(1.5, 1501*time.Microsecond).OK, false},
		{"none", of(0, 9*ms).OK, true},
		{"flat, however slow", grow(row{Case: "x", Others: 100, Ratio: 1.1, Target: 1}, []row{one}).OK, true},
		{"not flat", grow(row{Case: "x", Others: 100, Ratio: 1.11, Target: 9}, []row{one}).OK, false},
		{"flat beside another case", grow(row{Case: "y", Others: 100, Ratio: 9}, []row{one}).OK, true},
		{"a claim in time", newClaim(timed(99*ms), claimFiles, 1, nil).OK, true},
		{"a claim too late", newClaim(timed(101*ms), claimFiles, 1, nil).OK, false},
		{"a claim of more files", newClaim(timed(101*ms), 10*claimFiles, 1, nil).OK, true},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, tt.got, tt.want)
		}
	}
	k := newClaim(timed(102*ms), 101, 1, []claim{{Case: "x", Files: 1, Median: 2}})
	if k.NS != 1e6 {
		t.Errorf("got %v ns a file, want 100 ms among 100 files", k.NS)
	}
}

func timed(d time.Duration) *benchCase {
	return &benchCase{name: "x", taken: [][]sample{{{wall: time.Millisecond}}, {{wall: d}}}}
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
	if err := b.parts(t.Context(), &result{}, io.Discard); err != nil {
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

func TestQuantileLiesBetweenTheTimes(t *testing.T) {
	times := []time.Duration{4 * time.Millisecond, 1 * time.Millisecond, 3 * time.Millisecond, 2 * time.Millisecond}
	for q, want := range map[float64]float64{0: 1, 0.5: 2.5, 1: 4} {
		if got := quantile(times, q); got != want {
			t.Errorf("quantile %v: got %v, want %v", q, got, want)
		}
	}
}
