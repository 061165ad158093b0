package run

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/agents"
	"github.com/cursor-ralph/cursor-ralph/internal/agents/preset"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

func namesAgent(o cli.Options) bool {
	return o.Text("agent") != "" || o.Text("acp-command") != "" || o.Text("agent-command") != ""
}

func chosenAgent(e *cli.Env) (loop.Run, error) {
	name, speaks, prints := e.Text("agent"), e.Text("acp-command"), e.Text("agent-command")
	given := slices.DeleteFunc([]string{name, speaks, prints}, func(s string) bool { return s == "" })
	if len(given) != 1 {
		return loop.Run{}, hint.Misuse("give one of --agent, --acp-command and --agent-command", "agents: "+strings.Join(preset.Names(), ", "))
	}
	r, err := loop.Run{}, error(nil)
	switch {
	case name != "":
		r, err = agents.Named(name)
	case speaks != "":
		r.Driver, r.Command = agents.ACP, speaks
	case prints != "":
		r.Driver, r.Command = agents.Program, prints
	}
	if err != nil {
		return r, err
	}
	if r.Command != "" {
		argv, err := agents.Words(r.Command, runtime.GOOS)
		if err != nil || len(argv) == 0 {
			return r, hint.Misuse(fmt.Sprintf("the command %q cannot be understood", r.Command), "quote it as for a shell; no shell runs it")
		}
		r.Agent = argv[0]
	}
	return withAgentFlags(e, r)
}

func withAgentFlags(e *cli.Env, r loop.Run) (loop.Run, error) {
	if model := e.Text("model"); model != "" {
		if r.Driver == agents.Program {
			return r, hint.Misuse("--model has no effect with --agent-command", "put the command's own flag into --agent-command")
		}
		r.Model = model
	}
	if e.IsSet("fresh") {
		r.Fresh = true
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
	if r.Driver == agents.Program {
		if r.Permissions != "" {
			return r, hint.Misuse("--permissions has no effect with --agent-command", "put the command's own flags into --agent-command")
		}
		return r, nil // it cannot ask
	}
	r.Permissions = cmp.Or(r.Permissions, "ask")
	if r.Permissions == "ask" && !(e.OnTerminal() && e.InputFromTerminal()) {
		return r, hint.Misuse("there is no terminal to ask you on", "choose what the agent may do: --permissions edits, all or none")
	}
	return r, nil
}
