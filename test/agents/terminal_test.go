//go:build linux

package agents_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/modelserver"
	"github.com/cursor-ralph/cursor-ralph/test/terminal"
)

// screen is a host's terminal UI.
type screen struct {
	start string   // the command
	ready string   // what the host shows when it waits for a message
	asks  []string // the answers to its questions, as they look when they are chosen
	file  string   // a file of settings in the home folder, which keeps it from asking about the account
	text  string
	esc   int // how often Esc has to be pressed for an interrupt
}

func screens() map[string]screen {
	return map[string]screen{
		"claude": {
			start: "claude --dangerously-skip-permissions", ready: "bypass permissions on", esc: 1,
			file: ".claude.json", text: `{"hasCompletedOnboarding": true, "customApiKeyResponses": {"approved": ["none"]}, "bypassPermissionsModeAccepted": true}`,
			asks: []string{"❯ Yes, I trust this folder"},
		},
		"codex": {
			start: "codex -m gpt-5.5", ready: "Ask Codex to do anything", esc: 1,
			asks: []string{"› 2. Trust all and continue", "› 2. Use existing model"},
		},
		"gemini": {start: "gemini --approval-mode yolo", ready: "Type your message", esc: 1},
		"qwen":   {start: "qwen --approval-mode yolo", ready: "Type your message", esc: 1},
		"copilot": {
			start: "copilot --allow-all-tools", ready: "Manual Approval", esc: 2,
			asks: []string{"❯ 1. Yes"},
		},
	}
}

// patience is for what a host's terminal UI takes to show; the machine may be busy.
const patience = 90 * time.Second

// inTerminal is a play in the host's terminal UI.
type inTerminal struct {
	*inHost
	screen
	*terminal.Window
}

func newInTerminal(t *testing.T, name string) *inTerminal {
	t.Helper()
	return newInHost(t, name).opens()
}

// opens starts the host in a terminal, and answers its questions.
func (in *inHost) opens() *inTerminal {
	in.Helper()
	p := &inTerminal{inHost: in, screen: screens()[in.name]}
	t := in.T
	if p.file != "" {
		if err := os.WriteFile(filepath.Join(p.home, p.file), []byte(p.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(p.closes)
	p.Window = terminal.Open(t, 120, 40, p.dir, p.env, patience)
	p.Runs(p.start)
	for _, answer := range p.asks {
		p.chooses(answer)
	}
	p.Sees(p.ready)
	return p
}

// chooses answers a question: it presses Down until the answer is the chosen one, and then Enter, until the question is gone.
func (p *inTerminal) chooses(answer string) {
	p.Helper()
	_, words, _ := strings.Cut(answer, " ")
	p.Sees(words)
	p.pressing(func(screen string) string {
		if strings.Contains(screen, answer) {
			return "Enter"
		}
		return "Down"
	}, "no "+words, func(screen string) bool { return !strings.Contains(screen, words) })
}

// pressing presses a key every four seconds until the screen is as it should be: a program that has just drawn may not listen yet.
func (p *inTerminal) pressing(key func(screen string) string, what string, is func(screen string) bool) {
	p.Helper()
	var next time.Time
	p.Waits(what, func(screen string) bool {
		done := is(screen)
		if !done && time.Now().After(next) {
			next = time.Now().Add(4 * time.Second)
			p.Presses(key(screen))
		}
		return done
	})
}

// closes waits until the host is gone with its window. Codex leaves a server behind.
func (p *inTerminal) closes() {
	p.until("the end of "+p.name, func() bool {
		left := p.processes()
		for _, process := range left {
			if number, _, _ := strings.Cut(process, " "); strings.Contains(process, "app-server") {
				if pid, err := strconv.Atoi(number); err == nil {
					_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
				}
			}
		}
		return len(left) == 0
	})
}

// sends types a message and sends it; the model gets it.
func (p *inTerminal) sends(message string) {
	p.Helper()
	before := len(p.server.Requests())
	p.Types(message)
	p.settles()
	p.sent(before, message)
}

// pastes is sends for a text of several lines: its first word is typed, the rest pasted.
func (p *inTerminal) pastes(message string) {
	p.Helper()
	before := len(p.server.Requests())
	command, rest, _ := strings.Cut(message, " ")
	p.Types(command + " ")
	p.Sees(command)
	p.Tmux("set-buffer", rest)
	p.Tmux("paste-buffer", "-p")
	p.Waits("the end of the paste", func(screen string) bool {
		return strings.Contains(screen, "Pasted") || strings.Contains(screen, "--max-iterations") // some show a placeholder
	})
	p.settles()
	p.sent(before, message)
}

// settles waits until the screen has been the same for a while: Enter would take what a menu of completions shows for what was typed
// before.
func (p *inTerminal) settles() {
	p.Helper()
	last, since := "", time.Now()
	p.Waits("a screen that stays", func(screen string) bool {
		if screen != last {
			last, since = screen, time.Now()
		}
		return time.Since(since) > 700*time.Millisecond
	})
}

// sent presses Enter until the model gets the message: some take one right behind the letters for a part of a paste.
func (p *inTerminal) sent(before int, message string) {
	p.Helper()
	_, end, _ := strings.Cut(message, " ") // a command may become its text, with what stands behind it
	end = end[max(0, len(end)-12):]
	p.pressing(func(string) string { return "Enter" }, "the message to the model", func(string) bool {
		return slices.ContainsFunc(p.server.Requests()[before:], func(r modelserver.Request) bool { return strings.Contains(r.LastUser(), end) })
	})
}

// comes waits until the only loop has this status.
func (p *inTerminal) comes(status loop.Status) {
	p.Helper()
	p.Waits("the loop "+string(status), func(string) bool {
		all := p.loops()
		return len(all) == 1 && all[0].Status == string(status)
	})
}

// The same in the terminal UI: it asks its questions, the line is typed, and the loop goes its way.
func TestHostsLoopInTheTerminal(t *testing.T) {
	eachHost(t, func(t *testing.T, h host.Host) {
		p := newInTerminal(t, h.Name)
		p.model(refusedTwice(p.play)...)
		p.sends(h.Line(twoRefusals))
		p.comes(loop.PromiseAccepted)
		p.wantRefusedTwice()
	})
}

// A task of 12 kB is pasted, and the loop goes to its limit.
func TestHostsLoopInTheTerminalToTheLimit(t *testing.T) {
	eachHost(t, func(t *testing.T, h host.Host) {
		p := newInTerminal(t, h.Name)
		f := p.fast(12, longTask())
		p.pastes(f.line)
		p.until("the last turn", func() bool { return len(p.prompts()) == f.turns })
		if h.Cap > 0 {
			p.comes(loop.Waiting)
		} else {
			p.comes(loop.MaxIterations)
		}
		f.want()
	})
}

// interrupts presses Esc until the host has given up what Esc interrupts.
func (p *inTerminal) interrupts(what string, over func() bool) {
	p.Helper()
	p.pressing(func(string) string {
		for range p.esc - 1 {
			p.Presses("Escape")
			p.Sees("esc again")
		}
		return "Escape"
	}, what, func(string) bool { return over() })
}

// The user interrupts while the model works: in Codex that ends the loop; elsewhere nobody tells us, and the loop goes on with the user's
// next message.
func TestHostsLoopIsInterruptedInTheTerminal(t *testing.T) {
	eachHost(t, func(t *testing.T, h host.Host) {
		p := newInTerminal(t, h.Name)
		gone := make(chan struct{})
		p.model(
			turn{execute("true"), say("Not yet.")},
			turn{{Hangs: gone}},
			turn{execute("true"), say("Now it is.\n<promise>COMPLETE</promise>")},
		)
		p.sends(h.Line("/ralph-loop go on"))
		p.until("the second turn", func() bool { return len(p.prompts()) == 2 })
		p.interrupts("the end of the turn", func() bool {
			select {
			case <-gone:
				return true
			default:
				return false
			}
		})
		if h.Name == "codex" {
			p.comes(loop.UserStopped)
			p.wantLoop(loop.UserStopped, 1)
			return
		}
		p.wantLoop(loop.Running, 1)
		p.sends("Mind the edges.")
		p.comes(loop.PromiseAccepted)
		p.wantLoop(loop.PromiseAccepted, 2)
	})
}

// The user interrupts while a gate runs. Codex reports it, and the loop is over. Claude Code and Qwen Code end the hook: nothing is
// counted, and the loop waits for the user's next message. Gemini CLI lets the hook go on and drops its answer; Copilot CLI takes
// the answer as if nothing had happened.
func TestHostsGateIsInterruptedInTheTerminal(t *testing.T) {
	eachHost(t, func(t *testing.T, h host.Host) {
		p := newInTerminal(t, h.Name)
		p.model(
			turn{write(p.path("one.txt"), "one\n"), say(promise)},
			turn{execute("cp one.txt two.txt"), say("Now it is.\n<promise>COMPLETE</promise>")},
		)
		p.sends(h.Line(`/ralph-loop "go on" --verify "touch asked; until test -e go; do sleep 0.05; done; test -e two.txt"`))
		p.until("the gate", func() bool { _, err := os.Stat(p.path("asked")); return err == nil })
		for range p.esc {
			p.Presses("Escape")
		}
		iterations := 2
		switch h.Name {
		case "codex":
			p.comes(loop.UserStopped)
		case "claude", "qwen":
			p.comes(loop.Waiting)
			iterations = 1
		case "gemini":
			p.Sees("Request cancelled")
		}
		if err := os.WriteFile(p.path("go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		switch h.Name {
		case "codex":
			p.wantLoop(loop.UserStopped, 0)
			return
		case "gemini":
			p.until("the first iteration", func() bool { return p.loops()[0].Iterations == 1 })
		}
		if h.Name != "copilot" {
			p.sends("Mind the edges.")
		}
		p.comes(loop.PromiseAccepted)
		p.wantLoop(loop.PromiseAccepted, iterations)
	})
}

// A cancel from another terminal while the model works ends the loop with that turn; the host stays.
func TestHostsLoopInTheTerminalIsCancelledFromOutside(t *testing.T) {
	eachHost(t, func(t *testing.T, h host.Host) {
		p := newInTerminal(t, h.Name)
		n := 0
		p.fills(func(_ modelserver.Request, a modelserver.Answer) modelserver.Answer {
			if n++; n == 3 {
				p.must("cancel")
			}
			return a
		})
		p.model(turn{execute("true"), say("Some.")}, turn{execute("true"), say("More of it.")}, turn{say("Hello.")})
		p.sends(h.Line("/ralph-loop go on"))
		p.Sees("More of it.")
		p.sends("Say hello.") // a question mark is a key of Gemini CLI's
		p.Sees("Hello.")
		p.wantLoop(loop.Cancelled, 1)
	})
}
