package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// man prints the manual page as Markdown. scripts/assets makes roff of it, so
// that no program of ours has to carry what does that.
func man(_ context.Context, e *env, _ []string) error {
	var b strings.Builder
	b.WriteString(manHead)
	for _, c := range visible() {
		manCommand(&b, c)
	}
	b.WriteString(manTail)
	_, err := e.stdout.Write([]byte(b.String()))
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

// manText keeps Markdown from finding anything in a text.
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

The agent of the Cursor editor stops too early on long tasks. **cursor-ralph** keeps it going: each time the agent stops, a
hook, **cursor-ralph-hook**(1), answers with the same task again, until the agent gives its completion promise, a limit is
reached, or you stop it. That is called a Ralph loop.

In Cursor a loop is started by typing

    /ralph-loop "make the tests pass" --max-iterations 10

and this program starts, watches, steers and ends loops from a terminal. Without an id a command means the loop of this chat,
else the only loop of this workspace. An id may be shortened as long as it is clear.

# COMMANDS

`

const manTail = `# EXIT STATUS

0 if it was done, 1 if it failed, 2 if the command line was wrong.

# ENVIRONMENT

**CURSOR\_RALPH\_DIR**
: The folder for loops that run and for the log, instead of */tmp*.

**CURSOR\_RALPH\_STATE\_DIR**
: The folder for the records of loops, instead of *~/.local/state/cursor-ralph*.

**CURSOR\_RALPH\_NO\_NOTIFY**
: Set to 1 it keeps notifications away.

**CURSOR\_RALPH\_EDITOR\_EXE**
: The name of the editor's program, if yours has another one.

**CURSOR\_RALPH\_DESKTOP**
: x11, wayland, macos, windows, wsl or none, instead of what was found out.

# FILES

*/tmp/cursor-ralph-pending/*
: Loops that wait for their chat.

*/tmp/cursor-ralph-loop-ID.json*
: A loop that runs.

*/tmp/cursor-ralph-stop-hook.log*
: What the hook decided, one line a decision.

*~/.local/state/cursor-ralph/*
: The record of every loop.

*~/.cursor/hooks.json*, *~/.cursor/commands/*
: What **cursor-ralph install** writes.

# SEE ALSO

**cursor-ralph-hook**(1), https://github.com/cursor-ralph/cursor-ralph
`
