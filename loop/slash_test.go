package loop_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

func TestSlashCommand(t *testing.T) {
	for _, tt := range []struct {
		message, name, rest string
		ok                  bool
	}{
		{`/ralph-loop "x" --replace`, "ralph-loop", ` "x" --replace`, true},
		{" \n\t/ralph-status", "ralph-status", "", true},
		{"/ralph-loop\nfix it", "ralph-loop", "\nfix it", true},
		{"/ralph-loop\u00a0fix it", "ralph-loop", "\u00a0fix it", true},
		{`/ralph-loop"x"`, `ralph-loop"x"`, "", true},
		{"/", "", "", true},
		{"/ x", "", " x", true},
		{"//x y", "/x", " y", true},
		{"ralph-loop x", "", "", false},
		{"run /ralph-loop x", "", "", false},
		{`"/ralph-loop x"`, "", "", false},
		{"", "", "", false},
		{" \n", "", "", false},
	} {
		name, rest, ok := loop.SlashCommand(tt.message)
		if name != tt.name || rest != tt.rest || ok != tt.ok {
			t.Errorf("%q: got %q, %q, %t want %q, %q, %t", tt.message, name, rest, ok, tt.name, tt.rest, tt.ok)
		}
	}
}

// The text of a slash command, as some Cursors show it, is our command only if our line
// stands there once.
func TestExpandedCommand(t *testing.T) {
	const file, mark = "---\nname: x\n---\n\n# /ralph-loop: work\n\n    /ralph-loop \"<task>\"\n\n", "<!-- cursor-ralph: installed file of the plugin -->"
	for _, c := range []struct{ what, text, name, rest string }{
		{"with a line", file + mark + "\n\n\"do it\" --max-iterations 3", "ralph-loop", "\n\n\"do it\" --max-iterations 3"},
		{"with lines", file + mark + "\r\n\"do\nit\"", "ralph-loop", "\r\n\"do\nit\""},
		{"without one", file + mark, "ralph-loop", ""},
		{"another command", "# /cancel-ralph: end\n" + mark + "\nx", "cancel-ralph", "\nx"},
		{"the line twice", file + mark + "\nx\n" + mark + "\n--verify y", "", ""},
		{"within a line", file + "x " + mark + "\ny", "", ""},
		{"without an end", file + strings.TrimSuffix(mark, "-->") + "\nx", "", ""},
		{"without a title", mark + "\nx", "", ""},
		{"the raw line", "/ralph-loop \"do it\"", "", ""},
		{"words about it", "What does " + mark + " mean?", "", ""},
	} {
		if name, rest, ok := loop.ExpandedCommand(c.text); name != c.name || rest != c.rest || ok != (c.name != "") {
			t.Errorf("%s: got %q, %q, %t; want %q, %q", c.what, name, rest, ok, c.name, c.rest)
		}
	}
}
