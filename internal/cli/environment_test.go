package cli

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every variable that the code of a program names is in the table.
func TestVariablesAreComplete(t *testing.T) {
	root := os.DirFS("../..")
	name := regexp.MustCompile(`"(CURSOR_RALPH_[A-Z_]*[A-Z])\b`)
	found := 0
	err := fs.WalkDir(root, ".", func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && slices.Contains([]string{"test", "scripts", "node_modules", ".git", "extension"}, path.Base(file)) {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := fs.ReadFile(root, file)
		for _, m := range name.FindAllStringSubmatch(string(source), -1) {
			found++
			if !slices.ContainsFunc(Variables(), func(v Variable) bool { return v.Name == m[1] && v.Usage != "" }) {
				t.Errorf("%s: %s is not among the Variables", file, m[1])
			}
		}
		return err
	})
	if err != nil || found < 6 {
		t.Errorf("found %d names, %v", found, err)
	}
}
