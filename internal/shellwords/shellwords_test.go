package shellwords_test

import (
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/shellwords"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		dialect shellwords.Dialect
		command string
		want    string // words parted by |, operators in brackets
		open    bool
	}{
		{"words", shellwords.POSIX, " a\t'b c'd \"\" ", "a|b cd|", false},
		{"escapes", shellwords.POSIX, `a\ b "\"\x\$" '\n'`, `a b|"\x$|\n`, false},
		{"operators", shellwords.POSIX, "a;b|c>d $(e)", "a|[;]|b|[|]|c|[>]|d|$|[(]|e|[)]", false},
		{"an open quote", shellwords.POSIX, "a 'b", "a|b", true},
		{"a backslash at the end", shellwords.POSIX, `a \`, "a|", false},
		{"PowerShell's quotes", shellwords.PowerShell, `C:\x 'it''s' ‘a’’b’ "a""b` + "`\"\"", `C:\x|it's|a’b|a"b"`, false},
		{"a command for no shell", shellwords.Argv, "claude --allowedTools Bash(git:*) a;b\nc", "claude|--allowedTools|Bash(git:*)|a;b|c", false},
		{"a Windows path in any shell", shellwords.Any, `C:\x\y.exe note \"a {b}` + "\n", `C:\x\y.exe|note|"a|[{]|b|[}]|[` + "\n]", false},
		{"an open quote in any shell", shellwords.Any, `note "it's`, `note|it's`, true},
	} {
		words, ok := tt.dialect.Split(tt.command)
		var got []string
		for _, w := range words {
			if w.Operator {
				w.Text = "[" + w.Text + "]"
			}
			got = append(got, w.Text)
		}
		if got := strings.Join(got, "|"); got != tt.want || ok == tt.open {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got, ok, tt.want)
		}
	}
}

func TestOne(t *testing.T) {
	for command, want := range map[string]bool{"a 'b;c'": true, "": true, "a; b": false, "a 'b": false, "a\nb": false, "& a": false} {
		if _, got := shellwords.POSIX.One(command); got != want {
			t.Errorf("%q: got %v, want %v", command, got, want)
		}
	}
	if words, ok := shellwords.Of("windows").One(" & 'C:\\a b.exe' -c"); !ok || len(words) != 2 || words[0] != `C:\a b.exe` {
		t.Errorf("got %q, %v", words, ok)
	}
}
