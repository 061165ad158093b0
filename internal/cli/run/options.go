package run

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/agents/preset"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/config"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// Flags adds the flags of run.
func Flags(f *pflag.FlagSet) {
	f.String("agent", "", "the `NAME` of an agent: "+strings.Join(preset.Names(), ", "))
	f.String("acp-command", "", "a `COMMAND` that speaks the Agent Client Protocol")
	f.String("agent-command", "", "a `COMMAND` that takes the prompt on standard input, or as {prompt}, and prints what it does")
	f.String("model", "", "the `MODEL` that the agent uses")
	f.String("permissions", "", "`WHAT` the agent may do: ask, edits, all or none (default ask, which needs a terminal)")
	f.Bool("fresh", false, "begin a new session of the agent for each iteration")
	cli.TaskFlag(f)
	f.Bool("resume", false, "continue the last run of this folder, or the run whose id is given instead of a task")
	f.Bool("no-notify", false, "send no notices")
	for _, o := range loop.Options() {
		usage := o.Usage
		switch o.Name {
		case "plan":
			usage = "the agent plans and describes, and changes nothing"
		case "replace":
			usage = "replace an unfinished run of this folder"
		}
		cli.AddOption(f, o, usage)
	}
	cli.AddWithout(f)
	cli.TryFlag(f)
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
