// Package sources is for tests that build our programs and run them.
package sources

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Read reads all that programs of the module are made of, so that go test knows
// when a cached result no longer holds. Root is the module's folder.
func Read(t testing.TB, root string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && len(path) > 1 && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && source(path):
			_, err = os.ReadFile(filepath.Join(root, path)) // #nosec G122 -- the sources themselves
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func source(path string) bool {
	return strings.HasSuffix(path, ".go") || strings.HasPrefix(path, "commands/slash/") || path == "Makefile" || path == "go.mod"
}
