// Package command finds out whether a command that a user has written for their shell can run at all. It does not run it.
package command

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
)

// shells are those whose answers we know.
var shells = []string{"sh", "bash", "dash", "ksh", "zsh"}

// Problem says why a command cannot run in a folder; empty if it can, and where we cannot know. An empty shell is the system's.
func Problem(ctx context.Context, shell, command, folder string) string {
	if why := Syntax(ctx, shell, command, folder); why != "" {
		return why
	}
	shell, known := ofUser(shell)
	if !known {
		return ""
	}
	word := firstWord(command)
	if word == "" {
		return ""
	}
	if _, failed := asked(ctx, shell, folder, "-c", `command -v "$1"`, "sh", word); failed {
		return text.Quote(word) + " is neither a program that can be run here nor a word of the shell"
	}
	return ""
}

// Syntax says why the shell cannot read a command; empty if it can, and where we cannot know. An empty shell is the system's.
func Syntax(ctx context.Context, shell, command, folder string) string {
	shell, known := ofUser(shell)
	if !known {
		return ""
	}
	if said, failed := asked(ctx, shell, folder, "-n", "-c", command); failed {
		return "the shell cannot read it: " + said
	}
	return ""
}

// ofUser returns the shell to ask, and whether we know its answers.
func ofUser(shell string) (string, bool) {
	if shell == "" {
		shell = "/bin/sh"
	}
	return shell, slices.Contains(shells, path.Base(shell))
}

// asked runs a shell and reports whether it ended with an error of its own, and what it said last. What goes wrong otherwise tells
// nothing.
func asked(ctx context.Context, shell, folder string, args ...string) (said string, failed bool) {
	const most = 64 << 10 // what command -v prints of a function
	_, err := proc.Command{Path: shell, Args: args, Dir: folder, Limit: most}.Output(ctx)
	exit := (*proc.ExitError)(nil)
	if !errors.As(err, &exit) || exit.Code < 1 {
		return "", false
	}
	return text.FirstHead(exit.Stderr, 200), true
}

// firstWord returns the word that names the program, behind assignments; empty where we cannot know.
func firstWord(command string) string {
	for word := range strings.FieldsSeq(command) {
		if end := strings.IndexAny(word, ";&|"); end > 0 {
			word = word[:end]
		}
		name, _, assigns := strings.Cut(word, "=")
		switch {
		case strings.ContainsAny(word, "$`'\"\\(){}[]<>*?~#!;&|") || strings.HasPrefix(word, "-"):
			return ""
		case !assigns:
			return word
		case name == "":
			return ""
		}
	}
	return ""
}
