//go:build linux

package agents_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/modelserver"
)

// turn is the model's answers in one turn. The last one calls no tool, which ends the
// turn.
type turn []modelserver.Answer

// play is an agent in a loop, with its own home folder and repository.
type play struct {
	*testing.T
	agent
	home, dir string
	server    *modelserver.Server
	env       []string
	out       strings.Builder
	fill      func(modelserver.Request, modelserver.Answer) modelserver.Answer // may be nil

	mu    sync.Mutex
	turns []turn
	next  turn
	begun []string // the prompt of each turn
}

func newPlay(t *testing.T, a agent) *play {
	t.Helper()
	top := t.TempDir()
	p := &play{T: t, agent: a, home: filepath.Join(top, "home"), dir: filepath.Join(top, "work")}
	var err error
	if p.server, err = modelserver.Start(p.answer); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.end)
	for _, dir := range []string{p.home, p.dir, filepath.Join(top, "ralph"), filepath.Join(top, "tmp")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "-q", p.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.env = append(a.settle(t, p.home, p.dir, p.server.URL()),
		"HOME="+p.home, "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+filepath.Join(top, "tmp"), "SHELL=/bin/bash", "LANG=C.UTF-8",
		"NO_PROXY=127.0.0.1", "CURSOR_RALPH_DIR="+filepath.Join(top, "ralph"), "CURSOR_RALPH_STATE_DIR="+filepath.Join(top, "ralph", "state"),
		"CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1")
	return p
}

// end checks that the model knew all requests and that no process of the agent is left.
func (p *play) end() {
	_ = p.server.Close()
	for _, path := range p.server.Unknown() {
		p.Errorf("the agent asked for %s", path)
	}
	p.nothingLeft()
	if p.Failed() {
		p.Logf("cursor-ralph printed:\n%s", p.out.String())
	}
}

// answer is the model.
func (p *play) answer(r modelserver.Request) modelserver.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if isAside(r) {
		return modelserver.Answer{Text: "scripted"}
	}
	if len(p.next) == 0 {
		if len(p.turns) == 0 {
			return modelserver.Answer{Status: 400, Text: "no turn is left in the script"}
		}
		p.next, p.turns = p.turns[0], p.turns[1:]
		p.begun = append(p.begun, r.LastUser())
	}
	a := p.next[0]
	p.next = p.next[1:]
	if p.fill != nil {
		a = p.fill(r, a)
	}
	return a
}

// isAside reports whether a request is not of the conversation, though it offers tools: for a title (Codex), for what the user might
// say next, and for what to remember (Qwen Code).
func isAside(r modelserver.Request) bool {
	return strings.HasPrefix(r.System, "You are now acting as the managed memory extraction subagent") || slices.ContainsFunc(r.Messages, func(m modelserver.Message) bool {
		return strings.HasPrefix(m.Text, "Generate a concise, single-line task title") || strings.HasPrefix(m.Text, "[SUGGESTION MODE: ")
	})
}

// fills has the model's answers made as they are given.
func (p *play) fills(fill func(modelserver.Request, modelserver.Answer) modelserver.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fill = fill
}

// model sets the next turns.
func (p *play) model(turns ...turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turns, p.next = turns, nil
}

// prompts returns the prompts of the turns so far.
func (p *play) prompts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.begun...)
}

// path returns the path of a file in the workspace.
func (p *play) path(name string) string { return filepath.Join(p.dir, name) }

// limit is for one call of cursor-ralph: the machine may be busy.
const limit = 5 * time.Minute

// ralph runs cursor-ralph in the workspace and returns its exit code.
func (p *play) ralph(args ...string) (code int, stdout string) {
	p.Helper()
	cmd, out := p.start(args...)
	return p.wait(cmd), out.String()
}

func (p *play) start(args ...string) (*exec.Cmd, *strings.Builder) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), limit)
	p.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "cursor-ralph"), args...)
	out := &strings.Builder{}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, p.env, out, &p.out
	fmt.Fprintf(&p.out, "--- %s\n", strings.Join(args, " "))
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	return cmd, out
}

func (p *play) wait(cmd *exec.Cmd) int {
	p.Helper()
	err := cmd.Wait()
	fmt.Fprintf(&p.out, "%s", cmd.Stdout)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		p.Fatal(err)
	}
	return cmd.ProcessState.ExitCode()
}

// state returns the loop's current state, live or recorded.
func (p *play) state() loop.State {
	p.Helper()
	l := loop.State{}
	for _, pattern := range []string{"state/loops/*.json", "cursor-ralph-loop-run-*.json"} { // the live one counts
		found, _ := filepath.Glob(filepath.Join(p.dir, "..", "ralph", pattern))
		for _, path := range found {
			data, err := os.ReadFile(path)
			if err != nil {
				p.Fatal(err)
			}
			if err := json.Unmarshal(data, &l); err != nil {
				p.Fatal(err)
			}
		}
	}
	if l.ConversationID == "" {
		p.Fatal("there is no loop")
	}
	return l
}

// history returns the loop's iterations.
func (p *play) history() (list []loop.Iteration) {
	p.Helper()
	code, out := p.ralph("history", "--json", p.state().ConversationID)
	if code != 0 {
		p.Fatalf("history: exit code %d", code)
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		p.Fatal(err)
	}
	return list
}

func (p *play) read(name string) string {
	data, err := os.ReadFile(p.path(name))
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// processes lists the processes with our home folder, or in the workspace.
func (p *play) processes() (list []string) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range all {
		env, _ := os.ReadFile(proc + "/environ") // one that has ended meanwhile has none
		cwd, _ := os.Readlink(proc + "/cwd")
		if strings.Contains("\x00"+string(env), "\x00HOME="+p.home+"\x00") || cwd == p.dir {
			cmd, _ := os.ReadFile(proc + "/cmdline")
			list = append(list, filepath.Base(proc)+" "+strings.ReplaceAll(string(cmd), "\x00", " "))
		}
	}
	return list
}

func (p *play) nothingLeft() {
	p.Helper()
	for _, process := range p.processes() {
		p.Errorf("left behind: %s", process)
	}
}

// until waits for a condition.
func (p *play) until(what string, come func() bool) {
	p.Helper()
	for end := time.Now().Add(limit); !come(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.Fatalf("%s: not in time\n%s", what, p.out.String())
		}
	}
}

// interrupt sends SIGINT to cursor-ralph only.
func interrupt(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGINT) }
