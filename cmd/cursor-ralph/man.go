package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
)

// man prints the manual page as Markdown. scripts/assets converts it to roff, so
// that our programs need not link a converter.
func man(_ context.Context, e *env, _ []string) error {
	var b strings.Builder
	b.WriteString(manHead)
	for _, c := range visible() {
		manCommand(&b, c)
	}
	b.WriteString("# ENVIRONMENT\n\n")
	for _, v := range cli.Variables() {
		fmt.Fprintf(&b, "**%s**\n: %s\n\n", manText(v.Name), manText(v.Usage))
	}
	b.WriteString(manTail)
	_, err := e.Stdout.Write([]byte(b.String()))
	return err
}

func manCommand(b *strings.Builder, c command) {
	fmt.Fprintf(b, "## %s\n\n**cursor-ralph** %s\n\n%s.\n", c.name, manText(usage(c)), manText(strings.ToUpper(c.summary[:1])+c.summary[1:]))
	if c.details != "" {
		fmt.Fprintf(b, "\n%s\n", manText(c.details))
	}
	flagSet(c).VisitAll(func(f *pflag.Flag) { manFlag(b, f) })
	fmt.Fprintf(b, "\nExample:\n\n    cursor-ralph %s\n\n", c.example)
}

func manFlag(b *strings.Builder, f *pflag.Flag) {
	value, text := pflag.UnquoteUsage(f)
	fmt.Fprintf(b, "\n**--%s**", f.Name)
	if value != "" {
		fmt.Fprintf(b, " *%s*", manText(value))
	}
	fmt.Fprintf(b, "\n: %s", manText(text))
	if zero := f.DefValue == "" || f.DefValue == "false" || f.DefValue == "0" || f.DefValue == "0s" || f.DefValue == "[]"; !zero {
		fmt.Fprintf(b, " (default %s)", manText(f.DefValue))
	}
	b.WriteString("\n")
}

// manText escapes text for Markdown.
func manText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "#", `\#`).Replace(s)
}

const manHead = `CURSOR-RALPH 1 "DATE" cursor-ralph "User Commands"
==============================================

# NAME

cursor-ralph - keep the agent of the Cursor editor working until its task is done

# SYNOPSIS

**cursor-ralph** *command* \[*arguments*\] \[*options*\]

# DESCRIPTION

Cursor's agent says *done* too early. **cursor-ralph** sends it back to work until it gives its completion promise, a limit is
reached, or you stop it: each time the agent stops, **cursor-ralph-hook**(1) answers with the same task again. This is a Ralph
loop. In Cursor, type this to start one:

    /ralph-loop "make the tests pass" --max-iterations 10

This program starts, watches, steers and ends loops from a terminal. Without an id, a command is about the loop of this chat,
otherwise about the only loop of this workspace. The beginning of an id is enough if no other id begins so.

# COMMANDS

`

const manTail = `# EXIT STATUS

0 is success, 1 a failure, 2 a wrong command line.

# FILES

*/tmp/cursor-ralph-pending/*
: Loops that no chat has taken yet.

*/tmp/cursor-ralph-loop-ID.json*
: A live loop.

*/tmp/cursor-ralph-stop-hook.log*
: What the hook decided, one line per decision.

*~/.local/state/cursor-ralph/*
: The record of every loop.

*~/.cursor/hooks.json*, *~/.cursor/commands/*
: What **cursor-ralph install** writes.

# SEE ALSO

**cursor-ralph-hook**(1), https://github.com/cursor-ralph/cursor-ralph
`
