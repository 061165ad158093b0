// Package agents finds the agents that `cursor-ralph run` knows by name, and opens
// their drivers. Which of them a loop uses, and what the agent may do, its callers
// decide.
package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
	"github.com/cursor-ralph/cursor-ralph/outer/printmode"
)

// The drivers, as a state file names them.
const (
	ACP   = "acp"
	Print = "print"
)

// Names returns the names of the known agents.
func Names() []string {
	var names []string
	for _, p := range acp.Presets() {
		names = append(names, p.Name)
	}
	for _, p := range printmode.Presets() {
		if !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

func acpPreset(name string) (acp.Preset, bool) {
	return find(acp.Presets(), func(p acp.Preset) bool { return p.Name == name })
}

func printPreset(name string) (printmode.Preset, bool) {
	return find(printmode.Presets(), func(p printmode.Preset) bool { return p.Name == name })
}

func find[T any](list []T, matches func(T) bool) (found T, ok bool) {
	if i := slices.IndexFunc(list, matches); i >= 0 {
		return list[i], true
	}
	return found, false
}

// Named returns an agent. It uses the protocol, unless the user wants print mode or
// the agent has nothing else.
func Named(name string, print bool) (r loop.Run, err error) {
	_, speaks := acpPreset(name)
	p, prints := printPreset(name)
	switch {
	case !speaks && !prints:
		return r, hint.Misuse(fmt.Sprintf("unknown agent %q", name), "agents: "+strings.Join(Names(), ", ")+"; or --acp-command, --agent-command")
	case print && !prints:
		return r, hint.Misuse("the print mode of "+name+" is unknown", "leave --print out, or use --agent-command")
	case print || !speaks:
		return loop.Run{Agent: name, Driver: Print, NoTools: !p.Tools}, nil
	}
	return loop.Run{Agent: name, Driver: ACP}, nil
}

// Installed returns an agent whose program is on the PATH. It uses the protocol if it
// can, and print mode if only the program for that is there.
func Installed(name string) (loop.Run, error) {
	p, speaks := acpPreset(name)
	q, prints := printPreset(name)
	argv, howTo := p.Argv, p.Hint
	switch {
	case !speaks && !prints:
		return loop.Run{}, hint.Misuse(fmt.Sprintf("unknown agent %q", name), "agents: "+strings.Join(Names(), ", "))
	case speaks && isThere(p.Argv, &howTo):
		return loop.Run{Agent: name, Driver: ACP}, nil
	case prints && isThere(q.Program(), &howTo):
		return loop.Run{Agent: name, Driver: Print, NoTools: !q.Tools}, nil
	case !speaks:
		argv, howTo = q.Program(), q.Hint
	}
	return loop.Run{}, hint.New(fmt.Sprintf("the agent %s is not installed: there is no %s on the PATH", name, argv[0]), howTo)
}

// isThere reports whether a program is on the PATH. If not, it may add to the hint.
func isThere(argv []string, howTo *string) bool {
	found, more := withCursorCLI(argv, *howTo)
	_, err := exec.LookPath(found[0])
	if err != nil {
		*howTo = more
	}
	return err == nil
}

// Words splits a command as a POSIX shell does, or on Windows, where paths have
// backslashes, as PowerShell does.
func Words(command, goos string) ([]string, error) {
	shell := shellwords.Argv
	if goos == "windows" {
		shell = shellwords.PowerShell
	}
	words, ok := shell.One(command)
	if !ok {
		return nil, errors.New("more than one program with its arguments, or a quote that is not closed")
	}
	return words, nil
}

// Options are how an agent is opened.
type Options struct {
	Dir    string   // the workspace, absolute
	Env    []string // ours; the variables of a surrounding chat are removed
	ID     string   // of the run that the agent belongs to
	Asks   bool     // it must ask for everything, whatever is permitted
	Reads  bool     // it may only read
	Answer func(context.Context, acp.Request) acp.Answer
}

// Open returns the driver of an agent, without starting the agent.
func Open(r loop.Run, o Options) (outer.Driver, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var argv []string
	if r.Command != "" {
		if argv, err = Words(r.Command, runtime.GOOS); err != nil {
			return nil, fmt.Errorf("the agent's command: %w", err)
		}
	}
	env := environment(o.Env, o.ID)
	switch r.Driver {
	case ACP:
		c := acp.Config{Argv: argv, Args: r.Args, Dir: o.Dir, Env: env, Self: self, Name: r.Agent, Model: r.Model,
			Policy: outer.Policy(r.Permissions), Ask: o.Answer}
		if p, ok := acpPreset(r.Agent); ok && argv == nil {
			c.Argv, c.Hint = withCursorCLI(p.Argv, p.Hint)
			c.ModelFlag, c.AskEnv = p.ModelFlag, p.AskEnv
			if o.Reads && len(p.DenyEnv) > 0 {
				c.AskEnv = p.DenyEnv
			}
			if o.Asks {
				c.Env = append(c.Env, c.AskEnv...)
			}
		}
		return acp.Open(c), nil
	case Print:
		c := printmode.Config{Argv: argv, Args: r.Args, Dir: o.Dir, Env: env, Self: self, Model: r.Model, Policy: outer.Policy(r.Permissions)}
		if p, ok := printPreset(r.Agent); ok && argv == nil {
			c.Preset = p
			if p.Name == cursorAgent {
				c.Argv, c.Preset.Hint = withCursorCLI([]string{cursorAgent}, p.Hint)
			}
		}
		return printmode.Open(c), nil
	}
	return nil, errors.New("this version does not know the driver " + r.Driver)
}

// environment is ours without the variables of a surrounding chat.
func environment(ours []string, id string) []string {
	env := slices.DeleteFunc(slices.Clone(ours), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains([]string{"CURSOR_CONVERSATION_ID", "CURSOR_AGENT", "CURSOR_PROJECT_DIR", outer.RunVariable}, name)
	})
	return append(env, outer.RunVariable+"="+id)
}
