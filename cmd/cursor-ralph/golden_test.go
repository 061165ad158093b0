package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/golden"
)

// TestHelpIsGolden has the list, and the two forms of a command that takes the options of a loop.
func TestHelpIsGolden(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"start", "--help"}, {"start", "--help", "--all"}, {"run", "--help"}} {
		var out bytes.Buffer
		if code := run(args, nil, &out, &out, func(string) string { return "" }); code != 0 {
			t.Errorf("%v: got exit code %d, want 0", args, code)
		}
		golden.Matches(t, "testdata/"+strings.TrimLeft(strings.Join(args, ""), "-")+".txt", out.String())
	}
}

// wrongLines are command lines with one mistake each.
var wrongLines = [][]string{
	{"nonsense"}, {"statsu"}, {"hlep"}, {"help", "statsu"}, {"--nonsense"},
	{"status", "--jsno"}, {"status", "-j"}, {"status", "one", "two"}, {"status", "../x"}, {"status", "k7f2m"}, {"status"},
	{"list", "x"}, {"list", "--all=maybe"},
	{"start"}, {"start", "  "}, {"start", "x", "--max-iterations"}, {"start", "x", "--max-iterations", "0"}, {"start", "x", "--max-duration", "soon"},
	{"start", "x", "--promise-match", "fuzzy"}, {"start", "x", "--min-iterations", "30"}, {"start", "x", "--verify", ""}, {"start", "x", "--gate-timeout", "1h"},
	{"start", "--file", "missing.txt"}, {"start", "x", "--file", "task.md"}, {"start", "--file", "empty.md"},
	{"start", "--file", "binary"}, {"start", "--file", "large.md"}, {"start", "--file", "."}, {"start", "/x\xff"},
	{"run"}, {"run", "x"}, {"run", "x", "--agent", "clod"}, {"run", "x", "--agent", "claude", "--permissions", "some"}, {"run", "--file", "missing.txt"}, {"run", "--resume"},
	{"run", "--resume", "k7f2m"}, {"run", "x", "--agent", "claude", "--agent-command", "cat"}, {"run", "x", "--agent-command", "cat", "--model", "m"},
	{"pause"}, {"pause", "k7f2m"}, {"pause", "one", "two"}, {"resume", "k7f2m"}, {"resume", "--wait", "soon"}, {"resume", "--wait", "2h"}, {"cancel", "k7f2m"}, {"continue", "k7f2m"},
	{"continue", "k7f2m", "--max-iterations", "x"}, {"watch", "k7f2m"}, {"history", "k7f2m"}, {"report", "k7f2m"}, {"report", "one", "two"}, {"log", "k7f2m"}, {"log", "--lines", "x"}, {"log", "--lines", "-1"},
	{"context"}, {"context", ""}, {"context", "one", "two", "three"}, {"note"}, {"blocked"}, {"blocked", "k7f2m", "why"},
	{"loop-mode"}, {"loop-mode", "maybe"}, {"loop-mode", "on", "off"}, {"loop-mode", "off", "--max-iterations", "3"}, {"loop-mode", "on", "--for", "9d"}, {"loop-mode", "on", "--max-iterations", "x"},

	{"install", "x"}, {"install", "--session-limit", "5"}, {"install", "--project", "missing"},
	{"uninstall", "x"}, {"config", "x"}, {"doctor", "x"}, {"completion"}, {"completion", "tcsh"},
	{"version", "x"},
	{"slash"}, {"slash", "nonsense"}, {"slash", "ralph-loop"}, {"inject"}, {"inject", "k7f2m"}, {"inject", "k7f2m", "--wait", "2h"}, {"verify"}, {"notify", "k7f2m"},
}

// TestErrorsAreGolden has one message for each mistake.
func TestErrorsAreGolden(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the errors of this system have other words")
	}
	here, err := os.Getwd()
	must(t, err)
	work, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Chdir(work)
	home := filepath.Join(work, "home")
	for name, text := range map[string]string{"task.md": "a task", "empty.md": " \n", "binary": "a\x00b", "large.md": strings.Repeat("a", 1<<20+1)} {
		must(t, os.WriteFile(name, []byte(text), 0o600))
	}
	env := map[string]string{"HOME": home, "USERPROFILE": home, "CURSOR_RALPH_DIR": filepath.Join(work, "tmp"), "CURSOR_RALPH_STATE_DIR": filepath.Join(work, "state"),
		"CURSOR_RALPH_NO_WATCHER": "1", "CURSOR_RALPH_NO_NOTIFY": "1"}
	must(t, os.MkdirAll(env["CURSOR_RALPH_DIR"], 0o700))
	var all bytes.Buffer
	for _, line := range wrongLines {
		fmt.Fprintf(&all, "$ cursor-ralph %q\n", line)
		var out bytes.Buffer
		code := run(line, strings.NewReader(""), &out, &out, func(name string) string { return env[name] })
		fmt.Fprintf(&all, "%sexit code %d\n\n", strings.ReplaceAll(out.String(), work, "$WORK"), code)
	}
	t.Chdir(here)
	golden.Matches(t, "testdata/errors.txt", all.String())
}
