package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote writes a word so that a chat and a shell read it as one.
func Quote(word string) string {
	first, _ := utf8.DecodeRuneInString(word)
	isPlain := word != "" && !strings.HasPrefix(word, "--") && !strings.ContainsRune("“”„‘", first) && !strings.ContainsFunc(word, func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune("\"'\\$`&|;<>()*?[]{}~#!", c)
	})
	switch {
	case isPlain:
		return word
	case strings.ContainsAny(word, "\"\\$`!") && !strings.Contains(word, "'"):
		return "'" + word + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}
