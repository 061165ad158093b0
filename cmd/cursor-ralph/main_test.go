package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/cursor-ralph/cursor-ralph/test/script"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

func TestMain(m *testing.M) {
	// A test that runs a command in this process must not start all tests again.
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"); strings.HasSuffix(name, ".test") && len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(2)
	}
	testscript.Main(m, map[string]func(){
		"cursor-ralph":    main,
		"ralph-supervise": main, // the name by which run starts the supervisor of an agent
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestScripts runs each file of testdata/script as a user would type it, with
// the real hook beside cursor-ralph.
func TestScripts(t *testing.T) {
	bin := t.TempDir()
	if err := sources.Programs(bin, "cmd/cursor-ralph-hook", "cmd/cursor-ralph"); err != nil {
		t.Fatal(err)
	}
	plugin, err := filepath.Abs("../../plugin")
	must(t, err)
	p := script.Params("testdata/script", filepath.Join(bin, "cursor-ralph-hook"))
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("PLUGIN", plugin)
		return setup(e)
	}
	testscript.Run(t, p)
}
