package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
)

// runner is what a command does.
type runner func(ctx context.Context, e *env, args []string) error

const about = `cursor-ralph keeps Cursor's agent working until its task is done.

Without an id, a command is about the loop of this chat, otherwise about the
only loop of this workspace.`

// root returns the program with all its commands.
func (e *env) root() *cobra.Command {
	root := &cobra.Command{
		Use: "cursor-ralph", Long: about,
		Example:       "  /ralph-loop \"make the tests pass\" --verify \"make test\"   (in Cursor)\n  cursor-ralph status",
		Args:          cobra.ArbitraryArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		SilenceErrors: true, SilenceUsage: true, SuggestionsMinimumDistance: 2,
	}
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.SetFlagErrorFunc(badFlag)
	root.SetHelpCommand(helpCommand(root))
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	e.addCommands(root)
	root.InitDefaultHelpCmd() // here, so that it is found
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Short, c.Args = "print a completion script", cobra.ArbitraryArgs
		c.RunE = func(*cobra.Command, []string) error {
			return hint.Misuse("completion: name a shell", "cursor-ralph completion bash|zsh|fish|powershell")
		}
	}
	return root
}

// execute runs one command line.
func (e *env) execute(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "--version" {
		args[0] = "version"
	}
	root := e.root()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		e.offerValues(root)
	} else if c, rest, _ := root.Find(args); c == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return unknownCommand(root, rest[0])
	}
	root.SetArgs(args)
	return root.ExecuteContext(ctx)
}

// command completes a command that waits for no more than what has a deadline of its own.
func (e *env) command(flags func(*pflag.FlagSet), run runner, c *cobra.Command) *cobra.Command {
	c.Flags().SortFlags = false
	if flags != nil {
		flags(c.Flags())
	}
	if c.Args == nil {
		c.Args = checkArgs
	}
	c.Long = strings.TrimSpace(strings.ToUpper(c.Short[:1]) + c.Short[1:] + ".\n\n" + c.Long)
	c.Example = "  cursor-ralph " + c.Example
	c.ValidArgsFunction = e.fitting
	c.RunE = func(c *cobra.Command, args []string) error {
		e.Flags = c.Flags()
		if err := e.Allow(c.Name(), nil); err != nil {
			return err
		}
		if err := e.Open(); err != nil {
			return err
		}
		return run(c.Context(), e, args)
	}
	return c
}

// lineCommand completes a command whose arguments are read as the chat's line is.
func (e *env) lineCommand(flags func(*pflag.FlagSet), run runner, c *cobra.Command) *cobra.Command {
	c.Args = cobra.ArbitraryArgs
	c = e.command(flags, run, c)
	c.DisableFlagParsing = true
	runTask := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		e.Flags = c.Flags()
		task, err := e.ParseLine(args)
		if errors.Is(err, pflag.ErrHelp) {
			return helpOfLoop(c, slices.Contains(args, "--all"))
		}
		if err != nil {
			return err
		}
		return runTask(c, task)
	}
	c.SetHelpFunc(func(c *cobra.Command, _ []string) { _ = helpOfLoop(c, false) }) // output that is gone is no error of help
	return c
}

// brief allows a command as much time as a lock may take.
func brief(run runner) runner {
	return func(ctx context.Context, e *env, args []string) error {
		ctx, cancel := context.WithTimeout(ctx, cli.LockWait)
		defer cancel()
		return run(ctx, e, args)
	}
}

// everyday are the options that help shows first, of the commands that take those of a loop.
var everyday = map[string][]string{
	"start": {"file", "max-iterations", "max-duration", "verify", "tasks", "review", "checkpoints"},
	"run":   {"agent", "permissions", "max-iterations", "max-duration", "verify", "tasks", "review", "resume"},
}

// helpOfLoop shows a command that takes the options of a loop: a few of them, or all.
func helpOfLoop(c *cobra.Command, all bool) error {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		f.Hidden = f.Hidden || !all && f.Name != "help" && !slices.Contains(everyday[c.Name()], f.Name)
	})
	c.SetHelpFunc(nil)
	err := c.Help()
	if !all {
		fmt.Fprintf(c.OutOrStdout(), "\n`%s --help --all` shows all options.\n", c.CommandPath())
	}
	return err
}

// helpCommand is cobra's, except that a command that there is not is an error.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "show the commands, or the options of one",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
			for _, c := range root.Commands() {
				if c.IsAvailableCommand() && len(args) == 0 {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, _ := root.Find(args)
			if c == root && len(rest) > 0 {
				return unknownCommand(root, rest[0])
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

func unknownCommand(root *cobra.Command, name string) error {
	near := ""
	if names := root.SuggestionsFor(name); len(names) > 0 {
		near = "did you mean " + strings.Join(names, " or ") + "? "
	}
	return hint.Misuse(fmt.Sprintf("unknown command %q", name), near+"`cursor-ralph help` lists the commands")
}

// checkArgs compares arguments with those of the command's use: [word] may be missing, a|b
// is a choice, and of word... there may be many.
func checkArgs(c *cobra.Command, args []string) error {
	least, needed, words := 0, "", strings.Fields(c.Use)[1:]
	for _, w := range words {
		if !strings.HasPrefix(w, "[") {
			least, needed = least+1, w
		}
	}
	many, what := strings.Contains(c.Use, "..."), ""
	switch choice := strings.Split(strings.Join(words, " "), "|"); {
	case len(args) > len(words) && !many:
		what = fmt.Sprintf("unexpected argument %q", args[len(words)])
	case len(args) < least:
		what = needed + " is missing"
	case len(choice) > 1 && !slices.Contains(choice, args[0]):
		what = fmt.Sprintf("%q is not one of %s", args[0], strings.Join(choice, ", "))
	}
	if what == "" {
		return nil
	}
	return hint.Misuse(c.Name()+": "+what, c.UseLine())
}

// badFlag words an error of pflag.
func badFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	what := err.Error()
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		what = "unknown option -" + unknown.GetSpecifiedName()
	case errors.As(err, &unknown):
		what = "unknown option --" + unknown.GetSpecifiedName()
	case errors.As(err, &missing):
		what = "--" + missing.GetFlag().Name + " needs a value"
	case errors.As(err, &invalid):
		what = fmt.Sprintf("--%s: %s", invalid.GetFlag().Name, wrongValue(invalid))
	}
	if !c.HasParent() {
		return hint.Misuse(what, "`cursor-ralph help` lists the commands")
	}
	return hint.Misuse(c.Name()+": "+what, "`cursor-ralph help "+c.Name()+"` shows the options")
}

// wrongValue says what a value should be; the libraries that pflag quotes do not.
func wrongValue(err *pflag.InvalidValueError) string {
	what := map[string]string{"int": "a whole number", "bool": "true or false"}[err.GetFlag().Value.Type()]
	if what == "" {
		return err.Unwrap().Error()
	}
	return fmt.Sprintf("%q is not %s", err.GetValue(), what)
}
