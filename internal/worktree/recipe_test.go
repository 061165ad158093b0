package worktree

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestRecipe(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("check.sh", "exit 1")
	write("sub/check.sh", "exit 1")
	write("Makefile", "test:")
	write("package.json", "{}")
	if runtime.GOOS != "windows" {
		if err := os.Symlink("check.sh", filepath.Join(dir, "link.sh")); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		command, changes string // the file that is changed
		want             bool   // it is one that the command runs
	}{
		{"./check.sh", "check.sh", true},
		{"sh check.sh --all", "check.sh", true},
		{"bash -c './check.sh && true'", "check.sh", true},
		{"FOO=1 ./check.sh>log", "check.sh", true},
		{"./link.sh", "check.sh", runtime.GOOS != "windows"},
		{"cd sub && ./check.sh", "sub/check.sh", true},
		{"cd sub && ./check.sh", "check.sh", false},
		{"make test", "Makefile", true},
		{"make test", "GNUmakefile", true},
		{"make test", "check.sh", false},
		{"npm test", "package.json", true},
		{"./new.sh", "new.sh", true},
		{"new.sh", "new.sh", false},
		{"go test ./...", "check.sh", false},
		{"ls sub", "sub/other", false},
	} {
		t.Run(tt.command+" and "+tt.changes, func(t *testing.T) {
			path := filepath.Join(dir, filepath.FromSlash(tt.changes))
			was, err := os.ReadFile(path)
			files := Recipe(tt.command, dir)
			if list := Unlike(files); len(list) > 0 {
				t.Fatalf("got %q before anything was changed", list)
			}
			write(tt.changes, "exit 0")
			list := Unlike(files)
			if err != nil {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, was, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := len(list) > 0; got != tt.want {
				t.Errorf("got %q of %v, want the change seen: %t", list, files, tt.want)
			}
		})
	}
	if files := Recipe(strings.Repeat("/a/b/c/x", 1)+" "+strings.Repeat("d/e ", 9)+manyPaths(99), dir); len(files) > mostRun {
		t.Errorf("got %d files", len(files))
	}
	if files := Recipe("true", dir); files != nil {
		t.Errorf("got %v, want nothing", files)
	}
}

func manyPaths(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(" p/" + strings.Repeat("q", i))
	}
	return b.String()
}
