package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/kballard/go-shellquote"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/outer"
	"github.com/cursor-ralph/cursor-ralph/outer/acp"
	"github.com/cursor-ralph/cursor-ralph/outer/printmode"
)

// The drivers, as a state file names them.
const (
	driverACP   = "acp"
	driverPrint = "print"
)

// agentNames lists the agents that are known.
func agentNames() []string {
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
	list := acp.Presets()
	n := slices.IndexFunc(list, func(p acp.Preset) bool { return p.Name == name })
	if n < 0 {
		return acp.Preset{}, false
	}
	return list[n], true
}

func printPreset(name string) (printmode.Preset, bool) {
	list := printmode.Presets()
	n := slices.IndexFunc(list, func(p printmode.Preset) bool { return p.Name == name })
	if n < 0 {
		return printmode.Preset{}, false
	}
	return list[n], true
}

// namesAgent tells whether the command line says which agent it is.
func (e *env) namesAgent() bool {
	return e.text("agent") != "" || e.text("acp-command") != "" || e.text("agent-command") != ""
}

// chosenAgent is the agent of the command line, and how to talk to it.
func (e *env) chosenAgent() (loop.Run, error) {
	name, speaks, prints := e.text("agent"), e.text("acp-command"), e.text("agent-command")
	given := slices.DeleteFunc([]string{name, speaks, prints}, func(s string) bool { return s == "" })
	if len(given) != 1 {
		return loop.Run{}, misuse("give one of --agent, --acp-command and --agent-command", "agents: "+strings.Join(agentNames(), ", "))
	}
	r, err := e.namedAgent(loop.Run{}, name)
	switch {
	case err != nil:
		return r, err
	case speaks != "":
		r.Driver, r.Command = driverACP, speaks
	case prints != "":
		r.Driver, r.Command, r.NoTools = driverPrint, prints, true
	}
	if r.Command != "" {
		argv, err := shellquote.Split(r.Command)
		if err != nil || len(argv) == 0 {
			return r, misuse(fmt.Sprintf("the command %q cannot be understood", r.Command), "quote it as for a shell; no shell runs it")
		}
		r.Agent = argv[0]
	}
	return e.withAgentFlags(r)
}

// namedAgent is one of the presets: by the protocol, unless the user wants its
// print mode or it has nothing else.
func (e *env) namedAgent(r loop.Run, name string) (loop.Run, error) {
	if name == "" {
		return r, nil
	}
	_, speaks := acpPreset(name)
	p, prints := printPreset(name)
	switch {
	case !speaks && !prints:
		return r, misuse(fmt.Sprintf("unknown agent %q", name), "agents: "+strings.Join(agentNames(), ", ")+"; or --acp-command, --agent-command")
	case e.isSet("print") && !prints:
		return r, misuse(name+" has no print mode that is known", "leave --print out, or give --agent-command")
	case e.isSet("print") || !speaks:
		return loop.Run{Agent: name, Driver: driverPrint, NoTools: !p.Tools}, nil
	}
	return loop.Run{Agent: name, Driver: driverACP}, nil
}

// withAgentFlags adds what the command line says beside the agent's name.
func (e *env) withAgentFlags(r loop.Run) (loop.Run, error) {
	if model := e.text("model"); model != "" {
		r.Model = model
	}
	if e.isSet("fresh") {
		r.Fresh = true
	}
	words, err := e.flags.GetStringArray("agent-args")
	if err != nil {
		return r, err
	}
	for i, w := range words {
		more, err := shellquote.Split(w)
		if err != nil {
			return r, misuse(fmt.Sprintf("--agent-args %q cannot be understood", w), "quote it as for a shell")
		}
		if i == 0 {
			r.Args = nil
		}
		r.Args = append(r.Args, more...)
	}
	return e.withPermissions(r)
}

// withPermissions is what the agent may do. Nothing is guessed that the user
// would have to be asked.
func (e *env) withPermissions(r loop.Run) (loop.Run, error) {
	if p := e.text("permissions"); p != "" {
		if !slices.Contains([]string{"ask", "edits", "all", "none"}, p) {
			return r, misuse(fmt.Sprintf("--permissions: %q is not one of ask, edits, all and none", p), "nothing was started")
		}
		r.Permissions = p
	}
	plain := r.Driver == driverPrint && r.Command != ""
	if r.Permissions == "" && plain {
		return r, nil // it has none that we could set
	}
	if r.Permissions == "" {
		r.Permissions = "ask"
	}
	switch {
	case plain:
		return r, misuse("--permissions says nothing to a command that only prints", "give it the flags of its own, in --agent-command")
	case r.Permissions == "ask" && r.Driver == driverPrint:
		return r, misuse("in print mode nobody can be asked", "say what the agent may do: --permissions edits, all or none")
	case r.Permissions == "ask" && !(e.onTerminal() && terminalInput(e.stdin)):
		return r, misuse("there is no terminal on which you could be asked", "say what the agent may do: --permissions edits, all or none")
	}
	return r, nil
}

// terminalInput tells whether a person may be typing.
func terminalInput(stdin any) bool {
	f, ok := stdin.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// openDriver gives the driver of a loop's agent. No agent is started yet.
func (e *env) openDriver(l loop.State, view *runView) (outer.Driver, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var argv []string
	if l.Run.Command != "" {
		if argv, err = shellquote.Split(l.Run.Command); err != nil {
			return nil, fmt.Errorf("the agent's command: %w", err)
		}
	}
	env := agentEnv(os.Environ(), l.ConversationID)
	switch l.Run.Driver {
	case driverACP:
		c := acp.Config{Argv: argv, Args: l.Run.Args, Dir: l.Workspace, Env: env, Self: self, Name: l.Run.Agent, Model: l.Run.Model,
			Policy: acp.Policy(l.Run.Permissions), Ask: func(ctx context.Context, r acp.Request) bool { return view.ask(ctx, r) }}
		if p, ok := acpPreset(l.Run.Agent); ok && argv == nil {
			c.Argv, c.ModelFlag, c.AskEnv, c.Hint = p.Argv, p.ModelFlag, p.AskEnv, p.Hint
			if l.Plan { // whatever is permitted, it is to be held to the plan
				c.Env = append(c.Env, p.AskEnv...)
			}
		}
		return acp.Open(c), nil
	case driverPrint:
		c := printmode.Config{Argv: argv, Args: l.Run.Args, Dir: l.Workspace, Env: env, Self: self, Model: l.Run.Model, Policy: printmode.Policy(l.Run.Permissions)}
		if p, ok := printPreset(l.Run.Agent); ok && argv == nil {
			c.Preset = p
		}
		return printmode.Open(c), nil
	}
	return nil, errors.New("the driver " + l.Run.Driver + " is unknown to this version")
}

// runVariable tells the agent's shell, and Cursor's hooks in it, which run it is
// part of.
const runVariable = "CURSOR_RALPH_RUN"

// agentEnv is our environment without what tells of a chat around us.
func agentEnv(environ []string, id string) []string {
	env := slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains([]string{"CURSOR_CONVERSATION_ID", "CURSOR_AGENT", "CURSOR_PROJECT_DIR", runVariable}, name)
	})
	return append(env, runVariable+"="+id)
}
