package config

import (
	"cmp"
	"fmt"
	"strings"
)

// Sample is a file that sets nothing: every setting is in it as a comment.
func Sample() string {
	var b strings.Builder
	b.WriteString("# What cursor-ralph does by default. Take away the # before a line to change it.\n# Variables of the environment beat this file, and flags beat both: `cursor-ralph config` shows what counts.\n")
	section := ""
	for _, s := range Settings() {
		if s.Section != section {
			section = s.Section
			fmt.Fprintf(&b, "\n[%s]\n", section)
		}
		fmt.Fprintf(&b, "# %s\n# %s = %s\n", s.Usage, s.Name, s.sample())
	}
	return b.String()
}

func (s Setting) sample() string {
	value := cmp.Or(s.Default, s.example)
	switch s.form {
	case list, lines:
		return fmt.Sprintf("[%q]", value)
	case words:
		return fmt.Sprintf("%q", value)
	}
	return value
}
