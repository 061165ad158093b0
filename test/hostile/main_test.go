//go:build unix

package hostile_test

import (
	"fmt"
	"os"
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
	if file := os.Getenv(measuring); file != "" {
		return measure(file, os.Args[1:])
	}
	if folders := os.Getenv(caged); folders != "" {
		return enterCage(filepath.SplitList(folders), os.Args[1:])
	}
	if code, done := apart(); done {
		return code
	}
	dir, err := os.MkdirTemp("", "cursor-ralph-hostile-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		bin, err = dir, sources.Programs(dir, "cmd/cursor-ralph", "cmd/cursor-ralph-hook")
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

// TestSources keeps a result from being cached for longer than it holds.
func TestSources(t *testing.T) { sources.Read(t, "../..") }
