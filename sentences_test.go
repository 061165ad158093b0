package cursorralph_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// Sentences are for people. Code that compares them changes when somebody rewords one, so it compares typed constants instead.

// foreign has the texts with spaces that may be compared, and who writes them.
var foreign = map[string]string{
	"invalid UTF-8":            "hujson",
	"not available":            "xclip",
	"Nothing is copied":        "wl-paste",
	"No selection":             "wl-paste",
	"path escapes from parent": "package os",
	"exit code ":               "agents, in the title of a tool call",
	"\ndiff --git ":            "git",
	"# branch.oid ":            "git",
	"[no response text]":       "Gemini CLI, of a turn that was interrupted",
	"[Pasted Content ":         "Qwen Code, of a turn that was interrupted",

	"\nBase directory for this skill: ": "Copilot CLI, before a skill's text",
}

func TestNoCodeComparesSentences(t *testing.T) {
	short.Skip(t)
	pkgs, err := load(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	unused := maps.Clone(foreign)
	for _, dir := range slices.Sorted(maps.Keys(pkgs)) {
		if first, _, _ := strings.Cut(dir, "/"); slices.Contains([]string{"test", "scripts"}, first) {
			continue
		}
		for _, f := range pkgs[dir].files {
			for _, lit := range compared(f) {
				text, _ := strconv.Unquote(lit.Value)
				delete(unused, text)
				if _, ok := foreign[text]; !ok {
					t.Errorf("%s: compares %s: compare a typed constant, or add the text to foreign with its author", pkgs[dir].at(lit), lit.Value)
				}
			}
		}
	}
	for text := range unused {
		t.Errorf("foreign has %q, which no code compares any more", text)
	}
}

// compared returns the literals with a space between words that a file compares with ==, !=, case or a function of package
// strings or bytes.
func compared(f *ast.File) (found []*ast.BasicLit) {
	add := func(xs ...ast.Expr) {
		for _, x := range xs {
			if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING && isSentence(lit.Value) {
				found = append(found, lit)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.EQL || n.Op == token.NEQ {
				add(n.X, n.Y)
			}
		case *ast.CaseClause:
			add(n.List...)
		case *ast.CallExpr:
			if comparers[text(n.Fun)] {
				add(n.Args...)
			}
		}
		return true
	})
	return found
}

// comparers are the functions that compare their argument with a text.
var comparers = map[string]bool{
	"strings.HasPrefix": true, "strings.HasSuffix": true, "strings.Contains": true, "strings.EqualFold": true,
	"strings.CutPrefix": true, "strings.CutSuffix": true, "strings.Index": true, "strings.Cut": true,
	"bytes.HasPrefix": true, "bytes.HasSuffix": true, "bytes.Contains": true, "slices.Contains": true,
}

func isSentence(quoted string) bool {
	text, err := strconv.Unquote(quoted)
	return err == nil && strings.Contains(strings.TrimSpace(text), " ")
}

func TestComparedSentencesAreFound(t *testing.T) {
	const head = "package x\nimport \"strings\"\nvar s string\n"
	for src, want := range map[string]int{
		`var b = s == "two words"`:                               1,
		`var b = "two words" != s`:                               1,
		`var b = strings.HasPrefix(s, "two words ")`:             1,
		`func f() { switch s { case "two words", "word": } }`:    1,
		`func f() { s = "two words" }`:                           0,
		`var b = s == "word" || strings.Contains(s, " ")`:        0,
		`var b = strings.Replace(s, "two words", "one word", 1)`: 0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), path.Join("x", "x.go"), head+src, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(compared(f)); got != want {
			t.Errorf("%s: got %d, want %d", src, got, want)
		}
	}
}
