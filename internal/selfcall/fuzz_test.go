package selfcall_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cursor-ralph/cursor-ralph/internal/selfcall"
)

// FuzzCalls asserts that only a command that contains cursor-ralph calls it, that the
// arguments are part of the command, and that a call after another command counts.
func FuzzCalls(f *testing.F) {
	for _, command := range []string{
		"cursor-ralph note 'half done'", "cd x && /opt/cursor-ralph slash ralph-loop <<'E'\ndo \"it\"\nE\n", "echo cursor-ralph", "sudo FOO=1 cursor-ralph", "& 'C:\\x\\cursor-ralph.exe' slash ralph-loop @'\nit's\n'@",
		"make; cursor-ralph\tblocked \"no \\\"key\\\"\"", "(cursor-ralph continue c1)|cat", "'cursor-ralph' 'note' ''", "grep cursor-ralph-pending /tmp", "cursor-ralph", "`cursor-ralph`", "a\\", "cursor . && cursor-x note", "not-cursor-ralph note", "cursor-ralph-hook x",
	} {
		f.Add(command)
	}
	f.Fuzz(func(t *testing.T, command string) {
		if !utf8.ValidString(command) {
			return // it came as JSON
		}
		calls := selfcall.Calls(command)
		bare := strings.NewReplacer(`'`, "", `"`, "", `\`, "").Replace(strings.ToLower(command))
		if len(calls) > 0 && !strings.Contains(bare, "cursor-ralph") {
			t.Errorf("%q: got %q", command, calls)
		}
		for _, word := range calls {
			if !partOf(command, word) {
				t.Errorf("%q: got %q, which is not in it", command, word)
			}
		}
		if got := selfcall.Calls("true\n" + command); !slices.Equal(got, calls) {
			t.Errorf("%q behind another: got %q, want %q", command, got, calls)
		}
		if got, want := selfcall.Is(command, ""), len(calls) > 0 || strings.Contains(command, "cursor-ralph-pending") || strings.Contains(command, "cursor-ralph-loop-"); command != "" && got != want {
			t.Errorf("%q: got %v, want %v", command, got, want)
		}
	})
}

// partOf reports whether a word's characters appear in a text in this order. Between
// them may be quotes and here-strings, which were removed.
func partOf(text, word string) bool {
	for _, r := range word {
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text = text[i+len(string(r)):]
	}
	return true
}
