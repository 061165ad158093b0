package commands

import (
	"strings"
	"unicode/utf8"
)

// quote makes s one word of the shell that Cursor uses on goos.
func quote(s, goos string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r, goos) }) {
		return s
	}
	if goos == "windows" {
		return quotePowerShell(s)
	}
	return quotePOSIX(s)
}

func plain(r rune, goos string) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return true
	case goos == "windows":
		return strings.ContainsRune(`_.-:\`, r)
	}
	return strings.ContainsRune(`_.-/`, r)
}

// quotePOSIX puts backslashes outside the quotes too: fish, which may be $SHELL, has escapes inside them.
func quotePOSIX(s string) string {
	return "'" + strings.NewReplacer(`'`, `'\''`, `\`, `'\\'`).Replace(s) + "'"
}

// quotePowerShell doubles every quote that PowerShell takes for a single one, the curly ones included.
func quotePowerShell(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		b.WriteRune(r)
		if singleQuote(r, true) {
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// Quote gives a word as the user's shell has to read it, for a command that he may copy.
func Quote(word, goos string) string { return quote(word, goos) }

// Invocation is the beginning of a command that runs program: PowerShell would only print a quoted word without the &.
func Invocation(program, goos string) string {
	word := quote(program, goos)
	if goos == "windows" && word != program {
		return "& " + word
	}
	return word
}

func singleQuote(r rune, windows bool) bool {
	return r == '\'' || windows && '\u2018' <= r && r <= '\u201b'
}

// words takes a command apart. It is false for anything more than one program with its arguments.
func words(command string, windows bool) ([]string, bool) {
	rest := strings.Trim(command, " \t")
	if windows {
		rest = strings.TrimLeft(strings.TrimPrefix(rest, "&"), " \t")
	}
	var list []string
	for rest != "" {
		word, n, ok := firstWord(rest, windows)
		if !ok {
			return nil, false
		}
		list = append(list, word)
		rest = strings.TrimLeft(rest[n:], " \t")
	}
	return list, true
}

// firstWord reads one word of s, without its quotes, and how long it is in s.
func firstWord(s string, windows bool) (word string, n int, ok bool) {
	var b strings.Builder
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case r == ' ' || r == '\t':
			return b.String(), n, true
		case singleQuote(r, windows), r == '"':
			text, length, ok := quoted(s[n+size:], r, windows)
			if !ok {
				return "", 0, false
			}
			b.WriteString(text)
			n += size + length
			continue
		case r == escape(windows):
			n += size
			_, size = utf8.DecodeRuneInString(s[n:])
		case strings.ContainsRune(";|&<>()`\r\n", r):
			return "", 0, false
		}
		b.WriteString(s[n : n+size])
		n += size
	}
	return b.String(), n, true
}

// quoted reads up to the quote that closes open, which it counts but does not return.
func quoted(s string, open rune, windows bool) (text string, n int, ok bool) {
	var b strings.Builder
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		n += size
		next, nextSize := utf8.DecodeRuneInString(s[n:])
		switch {
		case closes(r, open, windows) && windows && closes(next, open, windows), escaped(r, next, open, windows):
			b.WriteString(s[n : n+nextSize])
			n += nextSize
		case closes(r, open, windows):
			return b.String(), n, true
		default:
			b.WriteString(s[n-size : n])
		}
	}
	return "", 0, false
}

func closes(r, open rune, windows bool) bool {
	return r == open || open != '"' && singleQuote(r, windows)
}

func escaped(r, next, open rune, windows bool) bool {
	return open == '"' && r == escape(windows) && strings.ContainsRune("\"\\$`", next)
}

func escape(windows bool) rune {
	if windows {
		return '`'
	}
	return '\\'
}
