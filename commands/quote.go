package commands

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
	return "'" + strings.NewReplacer(`'`, `'\''`, `\`, `'\\'`).Replace(s) + "'"
}

// quotePowerShell doubles every quote that PowerShell reads as a single one, the curly ones included.
func quotePowerShell(s string) string {
	return "'" + strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛").Replace(s) + "'"
}

// Invocation is the beginning of a command that runs program: PowerShell would only print a quoted word without the &.
func Invocation(program, goos string) string {
	word := Quote(program, goos)
	if goos == "windows" && word != program {
		return "& " + word
	}
	return word
}
