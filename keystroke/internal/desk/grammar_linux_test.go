package desk_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/keystroke/internal/desk"
	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// grammar installs the grammars of scripts/grammar and returns a function that
// parses a text and describes its errors.
func grammar(t *testing.T) func(language, text string) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs " + tool)
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "check.mjs"} {
		data, err := os.ReadFile(filepath.Join("../../../scripts/grammar", name))
		testdesk.Must(t, err)
		testdesk.Must(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	// No script of a package runs: the grammars come compiled.
	npm := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", filepath.Join(t.TempDir(), "npm"))
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("needs npm's registry: %v\n%s", err, out)
	}
	return func(language, text string) string {
		t.Helper()
		file := filepath.Join(dir, "text")
		testdesk.Must(t, os.WriteFile(file, []byte(text), 0o644))
		// The large grammar takes V8's optimizing compiler 5 s of processor time, and its plain one nothing.
		out, err := exec.Command("node", "--liftoff-only", filepath.Join(dir, "check.mjs"), language, file).CombinedOutput()
		if err != nil && len(out) == 0 {
			t.Fatal(err)
		}
		return string(out)
	}
}

func TestPowerShellIsUnderstood(t *testing.T) {
	short.Skip(t)
	t.Parallel()
	parse := grammar(t)
	before, rest, _ := strings.Cut(desk.SendKeysScript, "@'\n")
	class, after, ok := strings.Cut(rest, "\n'@")
	if !ok {
		t.Fatal("there is no class in the script")
	}
	f := playPowerShell(t)
	target := psTarget()
	testdesk.Must(t, wsl(f).Type(t.Context(), target))
	sent := strings.Join(f.Logged("stdin "), "\n")
	for _, tt := range []struct {
		name, language, text string
		ok                   bool
	}{
		{"the script", "powershell", desk.SendKeysScript, true},
		{"the class in it", "c-sharp", class, true},
		{"the lines that are sent", "powershell", strings.ReplaceAll(sent, "stdin ", ""), true},
		// A grammar that understands everything would prove nothing.
		{"a brace too few", "powershell", strings.Replace(before+after, "}", "", 1), false},
		{"a quote too many", "powershell", "Ralph '1' 'Set' '''\n" + desk.SendKeysScript, false},
		{"a semicolon too few", "c-sharp", strings.Replace(class, ";", "", 1), false},
	} {
		if out := parse(tt.language, tt.text); (out == "") != tt.ok {
			t.Errorf("%s: got %q, want that it parses %v", tt.name, out, tt.ok)
		}
	}
}
