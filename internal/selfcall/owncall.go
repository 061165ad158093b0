// Package selfcall recognizes an agent's tool calls that concern cursor-ralph
// itself: they are not work on the task. It reads shell commands roughly and does
// not parse them.
package selfcall

import (
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
)

// Is reports whether a call ran cursor-ralph in a shell or wrote our files.
// command and file are empty if the call had none.
func Is(command, file string) bool {
	if command != "" {
		return len(Calls(command)) > 0 || ourPath(command)
	}
	return ourPath(file)
}

func ourPath(text string) bool {
	return strings.Contains(text, "cursor-ralph-pending") || strings.Contains(text, "cursor-ralph-loop-")
}

// Calls returns the subcommands with which a shell command runs cursor-ralph, such
// as slash or note. Only a word in the place of a command counts: a folder or an
// argument of that name is not a call.
func Calls(command string) []string {
	var calls []string
	atCommand, ours := true, false
	for _, word := range split(command) {
		switch {
		case ours:
			calls = append(calls, word.Text)
			atCommand, ours = word.Operator, false
		case word.Operator:
			atCommand = true
		case !atCommand:
		case isRalph(word.Text):
			ours = true
		default:
			atCommand = transparent(word.Text)
		}
	}
	if ours {
		calls = append(calls, "")
	}
	return calls
}

func isRalph(word string) bool {
	base := word[strings.LastIndexAny(word, `/\`)+1:]
	return base == "cursor-ralph" || strings.EqualFold(base, "cursor-ralph.exe")
}

// transparent reports whether a command may follow a word: an assignment, or a
// program that runs its arguments.
func transparent(word string) bool {
	switch word {
	case "sudo", "env", "exec", "command", "time", "nohup", "nice", "stdbuf", "then", "do", "else", "if", "while", "!":
		return true
	}
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/-. ")
}

// split returns the words of an agent's command, and operators where it ends.
func split(command string) []shellwords.Word {
	words, _ := shellwords.Any.Split(withoutHereStrings(command))
	return words
}

// withoutHereStrings removes PowerShell's @' ... '@, whose text may have quotes
// that do not count.
func withoutHereStrings(command string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(command, "@'")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, command, found = strings.Cut(rest, "\n'@")
		if !found {
			return b.String() + rest
		}
	}
}
