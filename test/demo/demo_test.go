package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

var bin string

func TestMain(m *testing.M) {
	os.Exit(sources.Main(m, &bin, "demo-", "cmd/cursor-ralph", "cmd/cursor-ralph-hook"))
}

func TestDemo(t *testing.T) {
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	var out, errs bytes.Buffer
	if code := run([]string{bin}, &out, &errs); code != 0 || errs.Len() > 0 {
		t.Fatalf("got exit %d, %s\n%s", code, &errs, &out)
	}
	for _, want := range []string{"no completion promise", "refused: `" + tests() + "` failed with exit 1.", "not ok 1d: got ", "To go on, send: /ralph-loop --continue ", "[Ralph loop 4/20] The user continues", "It reads weeks too.", "PROMISE_ACCEPTED"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", &out, want)
		}
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestDemoFails: a demo that shows a loop that does not work is no demo.
func TestDemoFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the hook here is a script")
	}
	programs := t.TempDir()
	if err := sources.Programs(programs, "cmd/cursor-ralph"); err != nil {
		t.Fatal(err)
	}
	if err := sources.WriteProgram(filepath.Join(programs, "cursor-ralph-hook"), []byte("#!/bin/sh\ncat >/dev/null\necho '{}'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	for name, folder := range map[string]string{"a hook that does nothing": programs, "no programs": t.TempDir()} {
		var out, errs bytes.Buffer
		if code := run([]string{folder}, &out, &errs); code == 0 {
			t.Errorf("%s: got exit 0, want a failure:\n%s%s", name, &out, &errs)
		}
	}
}

func TestSources(t *testing.T) { sources.Read(t, "../..") }
