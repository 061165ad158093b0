package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
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

// AgentNames returns the agents that --agent knows.
func AgentNames() []string {
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

// namesAgent reports whether the command line names an agent.
func namesAgent(e *cli.Env) bool {
	return e.Text("agent") != "" || e.Text("acp-command") != "" || e.Text("agent-command") != ""
}

// chosenAgent returns the agent that the command line names.
func chosenAgent(e *cli.Env) (loop.Run, error) {
	name, speaks, prints := e.Text("agent"), e.Text("acp-command"), e.Text("agent-command")
	given := slices.DeleteFunc([]string{name, speaks, prints}, func(s string) bool { return s == "" })
	if len(given) != 1 {
		return loop.Run{}, hint.Misuse("give one of --agent, --acp-command and --agent-command", "agents: "+strings.Join(AgentNames(), ", "))
	}
	r, err := namedAgent(e, loop.Run{}, name)
	switch {
	case err != nil:
		return r, err
	case speaks != "":
		r.Driver, r.Command = driverACP, speaks
	case prints != "":
		r.Driver, r.Command, r.NoTools = driverPrint, prints, true
	}
	if r.Command != "" {
		argv, err := commandWords(r.Command, runtime.GOOS)
		if err != nil || len(argv) == 0 {
			return r, hint.Misuse(fmt.Sprintf("the command %q cannot be understood", r.Command), "quote it as for a shell; no shell runs it")
		}
		r.Agent = argv[0]
	}
	return withAgentFlags(e, r)
}

// commandWords splits a command as a POSIX shell does, or on Windows, where paths have
// backslashes, as PowerShell does.
func commandWords(command, goos string) ([]string, error) {
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

// namedAgent returns a preset. It uses the protocol, unless the user wants print mode
// or the agent has nothing else.
func namedAgent(e *cli.Env, r loop.Run, name string) (loop.Run, error) {
	if name == "" {
		return r, nil
	}
	_, speaks := acpPreset(name)
	p, prints := printPreset(name)
	switch {
	case !speaks && !prints:
		return r, hint.Misuse(fmt.Sprintf("unknown agent %q", name), "agents: "+strings.Join(AgentNames(), ", ")+"; or --acp-command, --agent-command")
	case e.IsSet("print") && !prints:
		return r, hint.Misuse("the print mode of "+name+" is unknown", "leave --print out, or use --agent-command")
	case e.IsSet("print") || !speaks:
		return loop.Run{Agent: name, Driver: driverPrint, NoTools: !p.Tools}, nil
	}
	return loop.Run{Agent: name, Driver: driverACP}, nil
}

// withAgentFlags applies the other flags about the agent.
func withAgentFlags(e *cli.Env, r loop.Run) (loop.Run, error) {
	if model := e.Text("model"); model != "" {
		r.Model = model
	}
	if e.IsSet("fresh") {
		r.Fresh = true
	}
	words, err := e.Flags.GetStringArray("agent-args")
	if err != nil {
		return r, err
	}
	for i, w := range words {
		more, err := commandWords(w, runtime.GOOS)
		if err != nil {
			return r, hint.Misuse(fmt.Sprintf("--agent-args %q cannot be understood", w), "quote it as for a shell")
		}
		if i == 0 {
			r.Args = nil
		}
		r.Args = append(r.Args, more...)
	}
	return withPermissions(e, r)
}

// withPermissions applies --permissions. The default is to ask the user; if that is
// impossible, the user must choose.
func withPermissions(e *cli.Env, r loop.Run) (loop.Run, error) {
	if p := e.Text("permissions"); p != "" {
		if !slices.Contains([]string{"ask", "edits", "all", "none"}, p) {
			return r, hint.Misuse(fmt.Sprintf("--permissions: %q is not one of ask, edits, all and none", p), "nothing was started")
		}
		r.Permissions = p
	}
	plain := r.Driver == driverPrint && r.Command != ""
	if r.Permissions == "" && plain {
		return r, nil // we cannot set any
	}
	if r.Permissions == "" {
		r.Permissions = "ask"
	}
	switch {
	case plain:
		return r, hint.Misuse("--permissions has no effect with --agent-command", "put the command's own flags into --agent-command")
	case r.Permissions == "ask" && r.Driver == driverPrint:
		return r, hint.Misuse("an agent in print mode cannot ask", "choose what the agent may do: --permissions edits, all or none")
	case r.Permissions == "ask" && !(e.OnTerminal() && terminalInput(e.Stdin)):
		return r, hint.Misuse("there is no terminal to ask you on", "choose what the agent may do: --permissions edits, all or none")
	}
	return r, nil
}

// terminalInput reports whether a person may be typing.
func terminalInput(stdin any) bool {
	f, ok := stdin.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// openDriver returns the driver of a loop's agent, without starting the agent.
func openDriver(e *cli.Env, l loop.State, ask func(context.Context, acp.Request) acp.Answer) (outer.Driver, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var argv []string
	if l.Run.Command != "" {
		if argv, err = commandWords(l.Run.Command, runtime.GOOS); err != nil {
			return nil, fmt.Errorf("the agent's command: %w", err)
		}
	}
	env := agentEnv(os.Environ(), l.ConversationID)
	switch l.Run.Driver {
	case driverACP:
		c := acp.Config{Argv: argv, Args: l.Run.Args, Dir: l.Workspace, Env: env, Self: self, Name: l.Run.Agent, Model: l.Run.Model,
			Policy: outer.Policy(l.Run.Permissions), Ask: ask}
		if p, ok := acpPreset(l.Run.Agent); ok && argv == nil {
			c.Argv, c.Hint = withCursorCLI(p.Argv, p.Hint)
			c.ModelFlag, c.AskEnv = p.ModelFlag, p.AskEnv
			if l.Plan { // the plan guard needs the agent to ask, whatever is permitted
				c.Env = append(c.Env, p.AskEnv...)
			}
		}
		return acp.Open(c), nil
	case driverPrint:
		c := printmode.Config{Argv: argv, Args: l.Run.Args, Dir: l.Workspace, Env: env, Self: self, Model: l.Run.Model, Policy: outer.Policy(l.Run.Permissions)}
		if p, ok := printPreset(l.Run.Agent); ok && argv == nil {
			c.Preset = p
			if p.Name == cursorAgent {
				c.Argv, c.Preset.Hint = withCursorCLI([]string{cursorAgent}, p.Hint)
			}
		}
		return printmode.Open(c), nil
	}
	return nil, errors.New("this version does not know the driver " + l.Run.Driver)
}

// agentEnv returns our environment without the variables of a surrounding chat.
func agentEnv(environ []string, id string) []string {
	env := slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains([]string{"CURSOR_CONVERSATION_ID", "CURSOR_AGENT", "CURSOR_PROJECT_DIR", cli.RunVariable}, name)
	})
	return append(env, cli.RunVariable+"="+id)
}
