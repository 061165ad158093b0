package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/agents/preset"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/keystroke"
)

// aboutWidth is how many characters of a task are shown beside an id.
const aboutWidth = 60

// fitting completes the arguments of a command by the words of its use.
func (e *env) fitting(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := strings.Fields(c.Use)[1:]
	if strings.Contains(c.Use, "[file...]") && len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if len(args) >= len(words) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	switch next := words[len(args)]; {
	case strings.Contains(next, "|"):
		return strings.Split(next, "|"), cobra.ShellCompDirectiveNoFileComp
	case next == "[id]" || next == "<id>":
		return e.loopIDs(c.Name() == "continue"), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// loopIDs are the ids of the loops, those that have not ended first.
func (e *env) loopIDs(resumable bool) (ids []cobra.Completion) {
	if e.Open() != nil {
		return nil
	}
	all, _ := e.Loops.All(time.Time{}) // doctor shows what cannot be read
	for _, l := range slices.Backward(all) {
		if l.Err == nil && (!resumable || l.State.Status.Resumable()) {
			v := e.View(l.State, l.IsInterrupted())
			ids = append(ids, cobra.CompletionWithDesc(v.ID, cli.Shortened(v.Describe()+": "+v.Prompt, aboutWidth)))
		}
	}
	return ids
}

// offerValues registers what fits options, which mean the same in every command.
func (e *env) offerValues(root *cobra.Command) {
	for _, c := range root.Commands() {
		c.DisableFlagParsing = false // cobra completes the options of no other command
		c.Flags().VisitAll(func(f *pflag.Flag) {
			values, how := optionValues(f.Name)
			_, f.Usage = pflag.UnquoteUsage(f)                                            // which stands beside its name
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values, how)) // each once
		})
	}
}

// optionValues are the values of an option, or the directive by which the shell completes it.
func optionValues(name string) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch name {
	case "file":
		return nil, cobra.ShellCompDirectiveDefault
	case "project", "workspace":
		return nil, cobra.ShellCompDirectiveFilterDirs
	case "agent", "review":
		return preset.Names(), cobra.ShellCompDirectiveNoFileComp
	case "type":
		return keystroke.Names(), cobra.ShellCompDirectiveNoFileComp
	}
	return choices()[name], cobra.ShellCompDirectiveNoFileComp
}

// choices are the values of options that have only a few.
func choices() map[string][]string {
	return map[string][]string{
		"promise-match":      {"exact", "lenient"},
		"on-promise-no-work": {"reject", "warn", "accept"},
		"permissions":        {"ask", "edits", "all", "none"},
	}
}
