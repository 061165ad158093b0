package run

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/agents"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Flags adds the flags of run.
func Flags(f *pflag.FlagSet) {
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "prompt-file" { // its name in older versions
			name = "file"
		}
		return pflag.NormalizedName(name)
	})
	f.String("agent", "", "the `NAME` of an agent: "+strings.Join(agents.Names(), ", "))
	f.String("acp-command", "", "a `COMMAND` that speaks the Agent Client Protocol")
	f.String("agent-command", "", "a `COMMAND` that takes the prompt on standard input, or as {prompt}, and prints what it does")
	f.Bool("print", false, "use the agent's print mode instead of the protocol")
	f.String("model", "", "the `MODEL` that the agent uses")
	f.StringArray("agent-args", nil, "more `ARGUMENTS` for the agent; may be given more than once")
	f.String("permissions", "", "`WHAT` the agent may do: ask, edits, all or none (default ask, which needs a terminal and the protocol)")
	f.Bool("fresh", false, "begin a new session of the agent for each iteration")
	cli.TaskFlag(f)
	f.Bool("resume", false, "continue the last run of this folder, or the run whose id is given instead of a task")
	f.Bool("no-notify", false, "send no notices")
	f.Bool("json", false, "print each event as a JSON object")
	for _, o := range loop.Options() {
		usage := o.Usage
		switch o.Name {
		case "on-error":
			usage = "`WHAT` to do when a turn fails: pause, or retry (default pause)"
		case "plan":
			usage = "the agent plans and describes, and changes nothing"
		case "replace":
			usage = "replace an unfinished run of this folder"
		case "stale-after":
			continue
		}
		cli.AddOption(f, o, usage)
	}
	cli.AddWithout(f)
}

// setDefaults sets the flags that were not given from the settings. The model
// applies only to the agent in the settings.
func setDefaults(e *cli.Env) error {
	c, err := e.Config()
	if err != nil {
		return err
	}
	set := func(name string) error {
		v := c.Get("run." + name)
		if v.From == config.BuiltIn || e.Flags.Changed(name) {
			return nil
		}
		return e.Flags.Set(name, v.Text)
	}
	agent := c.Get("run.agent").Text
	if e.Text("acp-command") == "" && e.Text("agent-command") == "" {
		err = set("agent")
	}
	if agent == "" || e.Text("agent") == agent {
		err = errors.Join(err, set("model"))
	}
	if e.Text("agent-command") == "" {
		err = errors.Join(err, set("permissions"))
	}
	return errors.Join(err, set("fresh"))
}
