//go:build unix

package hostile_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
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

// TestSources keeps a result from being cached for longer than it holds.
func TestSources(t *testing.T) { sources.Read(t, "../..") }
