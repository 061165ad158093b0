//go:build linux

package agents_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/modelserver"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// task contains characters that quoting and templates often break.
const task = "Make one.txt, then \"two.txt\".\nIt's for $HOME & `echo no`; {prompt} <b>\\n"

const promise = "It is done.\n<promise>COMPLETE</promise>"

func say(text string) modelserver.Answer { return modelserver.Answer{Text: text} }

func write(path, content string) modelserver.Answer {
	return modelserver.Answer{Text: "A file.", Calls: []modelserver.Call{{Path: path, Content: content}}}
}

func execute(command string) modelserver.Answer {
	return modelserver.Answer{Calls: []modelserver.Call{{Command: command}}}
}

func TestRealAgents(t *testing.T) {
	short.Skip(t)
	needsAgents(t)
	all := theAgents()
	for _, tt := range []struct{ agent string }{
		{"codex"},
		// The slowest of the others come first: two run at a time.
		{"opencode"},
		{"gemini"},
		{"claude"},
		{"copilot"},
	} {
		t.Run(tt.agent, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, all[tt.agent])
			p.refused([]string{"run", "--agent", tt.agent, "--permissions", "all", "--max-iterations", "3", "--verify", "test -e two.txt", "--", task})
			p.interrupted()
			p.accepted()
			if tt.agent != "gemini" { // over ACP it resumes the session, but its model does not get the old messages
				p.remembered()
			}
		})
	}
}

// Agents that ask before they edit may edit files, except those that tools execute.
func TestRealAgentsMayEdit(t *testing.T) {
	short.Skip(t)
	needsAgents(t)
	all := theAgents()
	for _, name := range []string{"opencode", "gemini", "claude"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, all[name])
			p.model(turn{write(p.path("one.txt"), "one\n"), write(p.path("two.txt"), "two\n"), write(p.path(".envrc"), "touch executed\n"), say("That is all.")})
			p.ralph("run", "--agent", name, "--permissions", "edits", "--max-iterations", "1", "--", task)
			if got := p.read("one.txt") + p.read("two.txt"); got != "one\ntwo\n" {
				p.Errorf("got %q in the files that may be written", got)
			}
			if _, err := os.Stat(p.path(".envrc")); err == nil {
				p.Error("a file was written that a tool executes")
			}
		})
	}
}

// refused plays three turns, as many as the loop allows: a bare promise, a promise that
// fails the verification, and work without a promise.
func (p *play) refused(args []string) {
	p.Helper()
	p.model(
		turn{say(promise)},
		turn{write(p.path("one.txt"), "one\n"), execute("echo nothing like that >&2; exit 3"), say(promise)},
		turn{execute("cp one.txt two.txt"), say("More is to be done.")},
	)
	code, _ := p.ralph(args...)
	l := p.state()
	if code != 1 || l.Status != loop.MaxIterations {
		p.Fatalf("got exit code %d, %s; want 1, %s", code, l.Status, loop.MaxIterations)
	}
	if got := p.read("one.txt") + p.read("two.txt"); got != "one\none\n" {
		p.Errorf("got %q in the files", got)
	}
	p.wantTask(3)
	p.historyOfThree()
	p.nothingLeft()
}

// wantTask checks that each turn began with the task, word for word.
func (p *play) wantTask(turns int) {
	p.Helper()
	got := p.prompts()
	if len(got) != turns {
		p.Fatalf("got %d turns, want %d", len(got), turns)
	}
	for i, prompt := range got {
		if !strings.Contains(prompt, task) {
			p.Errorf("turn %d began with %q", i+1, prompt)
		}
	}
}

func (p *play) historyOfThree() {
	p.Helper()
	h := p.history()
	if len(h) != 3 {
		p.Fatalf("got %d iterations, want 3", len(h))
	}
	for i, want := range []string{"refused", "refused", "none"} {
		if h[i].Promise != want {
			p.Errorf("iteration %d: got a promise %q, want %s", i+1, h[i].Promise, want)
		}
	}
	if n := calls(h[0]); n != 0 {
		p.Errorf("iteration 1: got %d tool calls, want none: %v", n, h[0].Tools)
	}
	if n := calls(h[1]); n != 2 {
		p.Errorf("iteration 2: got %d tool calls, want 2: %v", n, h[1].Tools)
	}
	if v := h[1].Verified; v == nil || v.Exit != 1 {
		p.Errorf("iteration 2: got the verification %+v, want exit 1", v)
	}
	if !slices.Contains(h[1].Files, p.path("one.txt")) {
		p.Errorf("iteration 2: got the files %q", h[1].Files)
	}
	if failed := strings.Join(h[1].Failed, "\n"); strings.Contains(failed, "exit 3") == p.noFailed {
		p.Errorf("iteration 2: got the failed commands %q", h[1].Failed)
	}
	if !strings.HasPrefix(h[1].Answer, "It is done.") {
		p.Errorf("iteration 2: got the answer %q", h[1].Answer)
	}
	if n := calls(h[2]); n != 1 {
		p.Errorf("iteration 3: got %d tool calls, want 1: %v", n, h[2].Tools)
	}
}

func calls(it loop.Iteration) (n int) {
	for _, times := range it.Tools {
		n += times
	}
	return n
}

// interrupted resumes the loop, and the user interrupts it while a command of the agent
// runs.
func (p *play) interrupted() {
	p.Helper()
	p.model(turn{execute("echo begun >three.txt; sleep 3600")})
	cmd, _ := p.start("run", "--resume", "--max-iterations", "6")
	p.until("the command", func() bool { return p.read("three.txt") == "begun\n" })
	if err := interrupt(cmd); err != nil {
		p.Fatal(err)
	}
	code := p.wait(cmd)
	if l := p.state(); code != 1 || l.Status != loop.Paused || l.Iterations != 3 {
		p.Errorf("got exit code %d, %s at iteration %d; want 1, paused at 3", code, l.Status, l.Iterations)
	}
	p.wantTask(4)
	p.nothingLeft()
}

// accepted resumes the loop, while the model is busy at first, and completes it.
func (p *play) accepted() {
	p.Helper()
	p.model(turn{say(promise)})
	if p.tries {
		p.model(turn{{Status: 429, Text: "slow down", RetryAfter: time.Second}, say(promise)})
	}
	code, _ := p.ralph("run", "--resume")
	l := p.state()
	if code != 0 || l.Status != loop.PromiseAccepted || l.Iterations != 4 {
		p.Errorf("got exit code %d, %s at iteration %d; want 0, %s at 4", code, l.Status, l.Iterations, loop.PromiseAccepted)
	}
	p.wantTask(5)
}

// remembered checks that the agent continued its session: the model got the messages
// of the first turn.
func (p *play) remembered() {
	p.Helper()
	all := p.server.Requests()
	last := all[len(all)-1]
	if !slices.ContainsFunc(last.Messages, func(m modelserver.Message) bool {
		return m.Role == "assistant" && strings.Contains(m.Text, "It is done.")
	}) {
		var lengths []int
		for _, r := range all {
			lengths = append(lengths, len(r.Messages))
		}
		p.Errorf("the last request has none of the first turn's messages; those in all requests: %d", lengths)
	}
}
