// Package owncall tells what an agent's tool call has to do with cursor-ralph
// itself: such a call is no work for the task. It reads a shell's language
// roughly, and is no parser of it.
package owncall

import (
	"slices"
	"strings"
)

// Is tells whether a call ran cursor-ralph in a shell or wrote our files. The
// command is empty where the call ran none, and the file where it wrote none.
func Is(command, file string) bool {
	if command != "" {
		return len(Calls(command)) > 0 || ourPath(command)
	}
	return ourPath(file)
}

func ourPath(text string) bool {
	return strings.Contains(text, "cursor-ralph-pending") || strings.Contains(text, "cursor-ralph-loop-")
}

// Calls gives the subcommands with which a shell command runs
// cursor-ralph, such as slash or note. Only a word where a command may stand
// is looked at: a folder or an argument of that name is no call.
func Calls(command string) []string {
	var calls []string
	atCommand, ours := true, false
	for _, word := range shellWords(command) {
		switch {
		case ours:
			calls = append(calls, word.text)
			atCommand, ours = word.separator, false
		case word.separator:
			atCommand = true
		case !atCommand:
		case isRalph(word.text):
			ours = true
		default:
			atCommand = transparent(word.text)
		}
	}
	if ours {
		calls = append(calls, "")
	}
	return calls
}

// AnyCalls gives the subcommands of every word that is cursor-ralph, also
// where another program runs it. It is for a call that proves itself by its
// token.
func AnyCalls(command string) []string {
	var calls []string
	ours := false
	for _, word := range shellWords(command) {
		if ours {
			calls = append(calls, word.text)
		}
		ours = isRalph(word.text)
	}
	return calls
}

// Arguments gives what stands behind cursor-ralph in each of its calls, the
// subcommand first, up to the end of that command.
func Arguments(command string) [][]string {
	var calls [][]string
	ours := false
	for _, word := range shellWords(command) {
		switch {
		case word.separator:
			ours = false
		case ours:
			last := len(calls) - 1
			calls[last] = append(calls[last], word.text)
		case isRalph(word.text):
			calls, ours = append(calls, nil), true
		}
	}
	return slices.DeleteFunc(calls, func(args []string) bool { return len(args) == 0 })
}

// HandedOver parts a command from the text that it hands over: a here-document,
// or a here-string of PowerShell. Without one the text is empty.
func HandedOver(command string) (head, text string) {
	command = strings.ReplaceAll(command, "\r\n", "\n")
	if before, rest, ok := strings.Cut(command, "@'\n"); ok && !strings.Contains(before, "<<") {
		text, after, _ := strings.Cut(rest, "\n'@")
		return before + after, text
	}
	head, rest, _ := strings.Cut(command, "<<")
	line, body, ok := strings.Cut(rest, "\n")
	marks := strings.Fields(strings.TrimPrefix(line, "-"))
	if !ok || len(marks) == 0 {
		return command, ""
	}
	mark := strings.Trim(marks[0], `'"\`)
	text, _, _ = strings.Cut("\n"+body+"\n", "\n"+mark+"\n")
	return head, strings.TrimPrefix(text, "\n")
}

func isRalph(word string) bool {
	base := word[strings.LastIndexAny(word, `/\`)+1:]
	return base == "cursor-ralph" || strings.EqualFold(base, "cursor-ralph.exe")
}

// transparent tells whether a command may follow a word: an assignment or a
// program that runs what it is given.
func transparent(word string) bool {
	switch word {
	case "sudo", "env", "exec", "command", "time", "nohup", "nice", "stdbuf", "then", "do", "else", "if", "while", "!":
		return true
	}
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/-. ")
}

type shellWord struct {
	text      string
	separator bool
}

// shellWords parts a command roughly as a shell does: quotes are taken away,
// and what ends a command is a separator.
func shellWords(command string) []shellWord {
	var words []shellWord
	var word strings.Builder
	quote, started, escaped := rune(0), false, false
	flush := func() {
		if started {
			words = append(words, shellWord{text: word.String()})
		}
		word.Reset()
		started = false
	}
	text := withoutHereStrings(command)
	for i, c := range text {
		switch {
		case escaped:
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'' && quoteAt(text, i+1):
			escaped, started = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, started = c, true
		case strings.ContainsRune(" \t\r", c):
			flush()
		case strings.ContainsRune("\n;&|(){}`", c):
			flush()
			words = append(words, shellWord{separator: true})
		default:
			word.WriteRune(c)
			started = true
		}
	}
	flush()
	return words
}

// quoteAt tells whether a quote follows a backslash, which it then escapes. Any
// other backslash may be part of a Windows path.
func quoteAt(text string, i int) bool {
	return i < len(text) && (text[i] == '\'' || text[i] == '"')
}

// withoutHereStrings takes out PowerShell's @' ... '@, whose text may hold
// quotes that are none.
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
