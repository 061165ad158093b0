package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// TestOldRecordsAreNotOpened: the archive may hold thousands.
func TestOldRecordsAreNotOpened(t *testing.T) {
	dir := t.TempDir()
	vars := map[string]string{
		"HOME": dir, "CURSOR_RALPH_NO_WATCHER": "1", "CURSOR_RALPH_DIR": filepath.Join(dir, "tmp"), "CURSOR_RALPH_STATE_DIR": filepath.Join(dir, "state"),
		"CURSOR_AGENT": "1", "CURSOR_PROJECT_DIR": filepath.Join(dir, "repo"),
	}
	for _, name := range []string{"tmp", "state", "state/loops", "repo"} {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	isOld := map[string]bool{}
	put := func(id string, age time.Duration, changes func(*loop.State)) {
		l := loop.New()
		l.Prompt, l.ConversationID, l.Workspace, l.Status = "build it", id, vars["CURSOR_PROJECT_DIR"], loop.Cancelled
		l.StartedAt, l.EndedAt, l.CancelledBy = time.Now().Add(-age-time.Hour), time.Now().Add(-age), loop.ByPrompt
		l = l.Requested("turn-1")
		changes(&l)
		data, err := l.Encode()
		must(t, err)
		path := filepath.Join(vars["CURSOR_RALPH_STATE_DIR"], "loops", l.ShortID()+".json")
		must(t, os.WriteFile(path, data, 0o600))
		must(t, os.Chtimes(path, l.EndedAt, l.EndedAt))
		isOld[filepath.Base(path)] = age > time.Hour
	}
	for i := range 200 {
		put(fmt.Sprint("old-", i), 24*time.Hour, func(*loop.State) {})
	}
	put("new", time.Minute, func(l *loop.State) { l.Prompt = "paint it" })
	for _, c := range []struct {
		args  []string
		stdin string
		says  string
	}{
		{[]string{"slash", "ralph-loop"}, `"build it"`, "Ralph loop 1/20"},
		{[]string{"slash", "ralph-loop"}, `"paint it"`, "this loop has ended already (CANCELLED)"},
		{[]string{"cancel"}, "", " is cancelled already"},
	} {
		var out strings.Builder
		e := &env{&cli.Env{Terminal: cli.Terminal{Stdin: strings.NewReader(c.stdin), Stdout: &out, Stderr: io.Discard, Getenv: func(name string) string { return vars[name] }}, Now: time.Now}}
		opened := watchOpens(t, filepath.Join(vars["CURSOR_RALPH_STATE_DIR"], "loops"))
		if err := e.execute(context.Background(), c.args); err != nil {
			out.WriteString(err.Error())
		}
		if !strings.Contains(out.String(), c.says) {
			t.Errorf("%q %s: got %q, want %q in it", c.args, c.stdin, &out, c.says)
		}
		if got := slices.DeleteFunc(opened(), func(name string) bool { return !isOld[name] }); len(got) > 0 {
			t.Errorf("%q %s: opened %d old records", c.args, c.stdin, len(got))
		}
	}
}

// watchOpens lists the records of a folder that are opened until it is called.
func watchOpens(t *testing.T, dir string) func() (names []string) {
	t.Helper()
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC | syscall.IN_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := syscall.InotifyAddWatch(fd, dir, syscall.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	return func() (names []string) {
		defer syscall.Close(fd)
		buffer := make([]byte, 1<<20)
		for {
			n, err := syscall.Read(fd, buffer)
			if errors.Is(err, syscall.EAGAIN) {
				return names
			} else if err != nil {
				t.Fatal(err)
			}
			for rest := buffer[:n]; len(rest) > 0; {
				length := binary.NativeEndian.Uint32(rest[12:16])
				name := strings.TrimRight(string(rest[16:16+length]), "\x00")
				if strings.HasSuffix(name, ".json") {
					names = append(names, name)
				}
				rest = rest[16+length:]
			}
		}
	}
}
