package shellwords

import (
	"strings"
)

// Quote returns s as one word of the shell that Cursor uses on a system.
func Quote(s, goos string) string {
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
	return "'" + outside(s, `'\`, func(r rune) string { return `'\` + string(r) + `'` }) + "'"
}

// quotePowerShell doubles every quote that PowerShell reads as a single one, the curly ones included.
func quotePowerShell(s string) string {
	return "'" + outside(s, "'‘’‚‛", func(r rune) string { return string(r) + string(r) }) + "'"
}

// outside replaces some letters. It is no strings.Replacer, which would make the hook larger.
func outside(s, letters string, with func(rune) string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(letters, r) {
			b.WriteString(with(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Invocation is the beginning of a command that runs program: PowerShell would only print a quoted word without the &.
func Invocation(program, goos string) string {
	word := Quote(program, goos)
	if goos == "windows" && word != program {
		return "& " + word
	}
	return word
}
