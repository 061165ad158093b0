//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// bin is the folder of the programs; only TestMain sets it.
var bin string

func TestMain(m *testing.M) {
	os.Exit(sources.Main(m, &bin, "load-test-", "cmd/cursor-ralph", "cmd/cursor-ralph-hook", "bench/peak"))
}

// TestSources keeps a result from being cached for longer than it holds.
func TestSources(t *testing.T) { sources.Read(t, "../..") }

// TestManyLoopsAtOnce is the short form of make load.
func TestManyLoopsAtOnce(t *testing.T) {
	for _, part := range short.First([]struct{ name, args string }{
		{"the simulated editor, two places", "many -chats 3 -iterations 4 -calls 3 -editor -twice -at-once 2"},
		{"the hook itself", "many -chats 16 -iterations 10 -at-once 8"},
		{"the hook in two places", "many -chats 6 -iterations 6 -calls 3 -twice -at-once 2"},
		{"the simulated editor", "many -chats 4 -iterations 6 -calls 3 -editor -at-once 4"},
		{"a history longer than a file keeps", "many -chats 2 -iterations 55 -calls 2"},
	}, 1) {
		t.Run(part.name, func(t *testing.T) { holds(t, part.args) })
	}
}

// TestSoak is the short form of make soak, and the panel is in a real terminal.
func TestSoak(t *testing.T) {
	short.Skip(t)
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("needs Linux, which shows what a process has open")
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	holds(t, "soak -events 2000")
}

// TestCleanedTmp is the short form of the part about /tmp.
func TestCleanedTmp(t *testing.T) { holds(t, fmt.Sprintf("clean -rounds %d", short.Times(7, 28))) }

// holds runs a part and wants nothing lost, doubled or left. The seed is the same
// each time: what is done is, and only when it happens is not.
func holds(t *testing.T, args string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	var out, log bytes.Buffer
	all := append(strings.Fields(args), "-seed", "1", "-programs", bin)
	if code := run(all, &out, &log); code != 0 {
		t.Errorf("got exit code %d, want 0:\n%s%s", code, &log, &out)
	}
}

func TestMisuse(t *testing.T) {
	for _, args := range []string{"", "everything", "many -chats 0", "soak -events x", "clean 5", "-seed 3"} {
		var out, complaint bytes.Buffer
		if code := run(strings.Fields(args), &out, &complaint); code != 2 || complaint.Len() == 0 || out.Len() > 0 {
			t.Errorf("%q: got exit code %d with %q, want 2 and what is wrong", args, code, &complaint)
		}
	}
}

// TestReport is of figures that are easily looked at.
func TestReport(t *testing.T) {
	r := report{title: "Title", about: "about"}
	r.row("files", "%d, then %d", 1, 2)
	for n := range shown + 3 {
		r.problems = append(r.problems, fmt.Sprintf("trouble %d\nmore of it", n))
	}
	for markdown, want := range map[bool]string{true: "## Title\n\nabout.\n\n| what | measured |\n|---|---|\n| files | 1, then 2 |\n\n", false: "Title (about)\n  files  1, then 2\n"} {
		var b bytes.Buffer
		if err := r.write(&b, markdown); err != nil {
			t.Fatal(err)
		}
		got, rest, _ := strings.Cut(b.String(), "wrong: ")
		if got != want || strings.Contains(rest, "more of it") || !strings.HasSuffix(rest, "wrong: trouble 19\nwrong: and 3 more\n") {
			t.Errorf("got %q, want %q and the first problems", &b, want)
		}
	}
}
