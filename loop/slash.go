package loop

import (
	"strings"
	"unicode"
)

// SlashCommand splits a chat message that begins with a slash command into its
// name and the rest; ok is false for any other message.
func SlashCommand(message string) (name, rest string, ok bool) {
	message = strings.TrimLeftFunc(message, unicode.IsSpace)
	if !strings.HasPrefix(message, "/") {
		return "", "", false
	}
	end := strings.IndexFunc(message, unicode.IsSpace)
	if end < 0 {
		end = len(message)
	}
	return message[1:end], message[end:], true
}

// ExpandedCommand does the same for the text of one of our slash commands, which some
// Cursors show to a hook instead of what was typed: the fixed last line of its file stands
// there exactly once, and the user's text follows it.
//
// Whoever can write command files for the user's Cursor can write such a text, and an agent
// in a sandbox may be one of them: the hook looks for such a file before it follows a line.
func ExpandedCommand(message string) (name, rest string, ok bool) {
	body, rest, _ := strings.Cut(message, "\n"+installedMark)
	_, rest, ended := strings.Cut(rest, "-->")
	if !ended || strings.Count(message, installedMark) != 1 {
		return "", "", false
	}
	name = titleOf(body)
	return name, rest, name != ""
}

// titleOf returns the command whose text has this first title; empty for any other text.
func titleOf(body string) string {
	for line := range strings.Lines(body) {
		if title, isTitle := strings.CutPrefix(line, "#"); isTitle {
			name, _, _ := SlashCommand(title)
			return strings.TrimSuffix(name, ":")
		}
	}
	return ""
}

// Ordinary reports whether loop mode may make a message the task of a loop: not a
// command, nor one of our texts, which some Cursors show to a hook instead of what was
// typed. The texts of other commands are unknown.
func Ordinary(message string) bool {
	_, _, isCommand := SlashCommand(message)
	isOurs := titleOf(message) != "" || strings.Contains(message, installedMark) || strings.HasPrefix(message, opening)
	return !isCommand && !isOurs && strings.TrimSpace(message) != ""
}

// installedMark begins the last line of each slash command that is installed.
const installedMark = "<!-- cursor-ralph: installed file"
