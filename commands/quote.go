package commands

import "github.com/cursor-ralph/cursor-ralph/internal/shellwords"

// Quote returns s as one word of the shell that Cursor uses on a system.
func Quote(s, goos string) string { return shellwords.Quote(s, goos) }

// Invocation is the beginning of a command that runs program: PowerShell would only print a quoted word without the &.
func Invocation(program, goos string) string { return shellwords.Invocation(program, goos) }
