//go:build unix

package hostile_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bin is the folder of the two programs, which every user may run; only run
// sets it.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if names := os.Getenv(swapping); names != "" {
		return swap(filepath.SplitList(names))
	}
	if code, done := apart(); done {
		return code
	}
	dir, err := os.MkdirTemp("", "cursor-ralph-hostile-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		bin, err = dir, build(dir)
	}
	if err == nil {
		err = furnish()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) // what is left is in the temporary folder
	return m.Run()
}

func build(dir string) error {
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", dir+"/", "../../cmd/cursor-ralph", "../../cmd/cursor-ralph-hook")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return nil
}

// TestSources reads what the programs are made of, so that go test knows when
// a cached result no longer holds.
func TestSources(t *testing.T) {
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && len(path) > 1 && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go"):
			_, err := os.ReadFile(filepath.Join("../..", path))
			return err
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
