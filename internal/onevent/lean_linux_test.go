package onevent

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// initialised are the packages that a hook runs code of before main, and that
// test/bench/floor does not: the least that a Go program can do as a hook. None of
// ours is among them, and nothing that an event without a loop could do without.
var initialised = []struct{ pkg, why string }{
	{"context", "deadlines; an error"},
	{"golang.org/x/sys/unix", "standard input with a deadline, and locks; errors"},
	{"path/filepath", "every path; an error"},
}

// TestNoPackageIsInitialisedThatTheHookDoesNotNeed compares the hook with
// test/bench/floor, since each version of Go has other packages of its own.
func TestNoPackageIsInitialisedThatTheHookDoesNotNeed(t *testing.T) {
	t.Parallel()
	floor, hook := installed(t, "floor", "test/bench/floor"), installed(t, "cursor-ralph-hook", "cmd/cursor-ralph-hook")
	w := newWorld(t)
	known := w.inits(floor, w.stopEvent(me))
	var want []string
	for _, i := range initialised {
		want = append(want, i.pkg)
	}
	for name, event := range w.idleEvents() {
		var got []string
		for _, pkg := range w.inits(hook, event) {
			if !slices.Contains(known, pkg) {
				got = append(got, pkg)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q initialised beyond test/bench/floor, want %q", name, got, want)
		}
	}
	if !slices.Contains(known, "encoding/json") {
		t.Errorf("got %q initialised in test/bench/floor, want encoding/json among them", known)
	}
}

// inits returns the packages that a program initializes.
func (w world) inits(program, event string) (pkgs []string) {
	w.Helper()
	cmd := exec.Command(program)
	cmd.Env, cmd.Dir, cmd.Stdin = append(slices.Clone(w.env), "GODEBUG=inittrace=1"), w.dir, strings.NewReader(event)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	w.must(err)
	if string(out) != "{}\n" {
		w.Errorf("got %q, want {}", out)
	}
	for line := range strings.Lines(said.String()) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "init" {
			pkgs = append(pkgs, words[1])
		}
	}
	return pkgs
}

// TestInstalledHookIsSmall looks at the binary as it is installed.
func TestInstalledHookIsSmall(t *testing.T) {
	t.Parallel()
	const most = 3_950_000 // bytes; helpers that package loop calls in many places are go:noinline for it
	info, err := os.Stat(installed(t, "cursor-ralph-hook", "cmd/cursor-ralph-hook"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() >= most {
		t.Errorf("got a hook of %d bytes, want less than %d", info.Size(), most)
	}
}

// installed builds a program with the flags that the Makefile builds all with.
func installed(t *testing.T, name, pkg string) (path string) {
	t.Helper()
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(makefile), "\nGOBUILD  = ")
	line, _, _ = strings.Cut(line, "\n")
	if !found {
		t.Fatal("the Makefile has no line GOBUILD")
	}
	path = filepath.Join(t.TempDir(), name)
	line = strings.ReplaceAll(line, "$(VERSION)", "v1.2.3")
	out, err := exec.Command("sh", "-c", line+` -o "$1" "../../$2"`, "sh", path, pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", line, err, out)
	}
	return path
}
