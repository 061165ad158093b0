// Package agents opens the drivers of agents, those of the presets too. Which of them a loop uses, and what the agent may do, its callers
// decide.
package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/agents/preset"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/host"
	"github.com/cursor-ralph/cursor-ralph/internal/outer"
	"github.com/cursor-ralph/cursor-ralph/internal/outer/acp"
	"github.com/cursor-ralph/cursor-ralph/internal/outer/program"
	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// The drivers, as a state file names them.
const (
	ACP     = "acp"
	Program = loop.PrintsOnly
)

// Named returns an agent.
func Named(name string) (loop.Run, error) {
	if _, ok := preset.Named(name); !ok {
		return loop.Run{}, hint.Misuse(fmt.Sprintf("unknown agent %q", name), "agents: "+strings.Join(preset.Names(), ", ")+"; or --acp-command, --agent-command")
	}
	return loop.Run{Agent: name, Driver: ACP}, nil
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
	Reads  bool     // it may only read, and obeys nothing of the workspace
	Answer func(context.Context, acp.Request) bool
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
		c := acp.Config{Argv: argv, Dir: o.Dir, Env: env, Self: self, Name: r.Agent, Model: r.Model,
			Policy: outer.Policy(r.Permissions), Ask: o.Answer}
		if p, ok := preset.Named(r.Agent); ok && argv == nil {
			c.Argv, c.Hint = preset.WithCursorCLI(p.Argv, p.Hint)
			c.ModelFlag, c.AskEnv = p.ModelFlag, p.AskEnv
			if o.Reads {
				c.Meta = p.Reading.Meta
				if len(p.Reading.Env) > 0 {
					c.AskEnv = p.Reading.Env
				}
			}
			if o.Asks {
				c.Env = append(c.Env, c.AskEnv...)
			}
		}
		return acp.Open(c), nil
	case Program:
		return program.Open(program.Config{Argv: argv, Dir: o.Dir, Env: env, Self: self}), nil
	}
	return nil, errors.New("this version does not know the driver " + r.Driver)
}

// environment is ours without the variables of a surrounding chat.
func environment(ours []string, id string) []string {
	env := slices.DeleteFunc(slices.Clone(ours), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(append(host.ShellVariables(), "CURSOR_PROJECT_DIR", outer.RunVariable), name)
	})
	return append(env, outer.RunVariable+"="+id)
}
