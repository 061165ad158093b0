//go:build unix

package e2e_test

import (
	"os"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// bin is the folder of the two programs; only run sets it.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	// scripts/package tries the programs of a package, where they were installed.
	if bin = os.Getenv("CURSOR_RALPH_TEST_PROGRAMS"); bin != "" {
		return m.Run()
	}
	return sources.Main(m, &bin, "it's e2e ", "cmd/cursor-ralph", "cmd/cursor-ralph-hook")
}

// TestSources keeps a result from being cached for longer than it holds.
func TestSources(t *testing.T) { sources.Read(t, "../..") }
