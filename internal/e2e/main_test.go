//go:build unix

package e2e_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bin is the folder of the two programs; only run sets it.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	// scripts/package tries the programs of a package, where they were installed.
	if bin = os.Getenv("CURSOR_RALPH_TEST_PROGRAMS"); bin != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "cursor-ralph it's e2e ")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	bin = dir
	build := exec.Command("go", "build", "-o", dir+"/", "../../cmd/cursor-ralph", "../../cmd/cursor-ralph-hook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	return m.Run()
}

// TestSources reads what the programs are made of, so that go test knows when
// a cached result no longer holds.
func TestSources(t *testing.T) {
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "bench" || len(path) > 1 && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") || strings.HasPrefix(path, "commands/slash/"):
			_, err := os.ReadFile(filepath.Join("../..", path))
			return err
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
