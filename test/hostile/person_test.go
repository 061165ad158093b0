//go:build unix

package hostile_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// person is one user with folders of their own, whom nobody shares a folder with.
type person struct {
	*testing.T
	dir, cwd string
	extra    []string // further variables of the environment
	turns    turns
}

func newPerson(t *testing.T, workspace string) person {
	t.Helper()
	p := person{T: t, dir: t.TempDir(), turns: turns{}}
	p.cwd = filepath.Join(p.dir, workspace)
	for _, dir := range []string{p.cwd, p.in("home"), p.in("tmp")} {
		p.must(os.MkdirAll(dir, 0o700))
	}
	return p
}

func (p person) in(name string) string { return filepath.Join(p.dir, name) }

func (p person) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

func (p person) write(path, content string) {
	p.Helper()
	p.must(os.MkdirAll(filepath.Dir(path), 0o700))
	p.must(os.WriteFile(path, []byte(content), 0o600))
}

// said is what a program printed, and with which code it ended.
type said struct {
	name, out, err string
	code           int
}

// patience is far beyond what any of these programs may take.
const patience = 20 * time.Second

func (p person) runs(stdin, program string, args ...string) said {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, program), args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = strings.NewReader(stdin), &out, &errs, p.cwd, p.env()
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	name := fmt.Sprintf("%s %.60q", program, args)
	if ctx.Err() != nil || cmd.ProcessState == nil {
		p.Errorf("%s: it hangs, or cannot be started: %v", name, err)
		return said{name: name}
	}
	return said{name, out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

func (p person) env() []string {
	return append([]string{
		"HOME=" + p.in("home"), "PATH=" + bin + ":/usr/bin:/bin", "SHELL=/bin/sh", "LANG=C.UTF-8", "CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1",
		"CURSOR_RALPH_DIR=" + p.in("tmp"), "CURSOR_RALPH_STATE_DIR=" + p.in("state"),
	}, p.extra...)
}

func (p person) command(args ...string) said { p.Helper(); return p.runs("", "cursor-ralph", args...) }

// turns counts those of each chat. A message begins one, as does what comes after
// a stop.
type turns map[string]int

func (t turns) generation(chat, event string) string {
	if event == "beforeSubmitPrompt" {
		t[chat]++
	}
	generation := fmt.Sprint("turn-", t[chat])
	if event == "stop" {
		t[chat]++
	}
	return generation
}

// hook returns an event to the hook. Whatever comes, it answers with one object.
func (p person) hook(name, id string, more map[string]any) said {
	p.Helper()
	got := p.runs(p.event(name, id, more), "cursor-ralph-hook")
	var object map[string]any
	if err := json.Unmarshal([]byte(got.out), &object); err != nil || object == nil || got.code != 0 || got.err != "" {
		p.Errorf("%s of %s: got %+v, want one object and exit 0 (%v)", name, id, got, err)
	}
	return got
}

func (p person) event(name, id string, more map[string]any) string {
	p.Helper()
	all := map[string]any{
		"hook_event_name": name, "conversation_id": id, "generation_id": p.turns.generation(id, name),
		"cursor_version": "3.18.25", "workspace_roots": []string{p.cwd},
	}
	maps.Copy(all, more)
	data, err := json.Marshal(all)
	p.must(err)
	return string(data)
}
