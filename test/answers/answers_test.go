//go:build unix

package answers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cursor-ralph/cursor-ralph/test/script"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// bin is the folder of the two programs; only TestMain sets it.
var bin string

func TestMain(m *testing.M) {
	os.Exit(sources.Main(m, &bin, "answers-", "cmd/cursor-ralph", "cmd/cursor-ralph-hook"))
}

// TestSources keeps a result from being cached for longer than it holds.
func TestSources(t *testing.T) { sources.Read(t, "../..") }

func TestScripts(t *testing.T) {
	t.Parallel()
	p := script.Params("testdata", filepath.Join(bin, "cursor-ralph-hook"))
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("PATH", bin+string(os.PathListSeparator)+e.Getenv("PATH"))
		e.Setenv("CURSOR_RALPH_NO_NOTIFY", "1")
		return setup(e)
	}
	testscript.Run(t, p)
}
