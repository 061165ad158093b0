package windows_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
	"github.com/cursor-ralph/cursor-ralph/test/testwine"
)

// TestUnderWine runs the tests for Windows of this package, and of those that
// differ most between systems.
func TestUnderWine(t *testing.T) {
	short.Skip(t)
	t.Parallel()
	const root = "../.."
	sources.Read(t, root)
	w := testwine.New(t, os.Environ(), 20*time.Minute)
	programs := filepath.Join(w.Dir, "programs")
	w.Run(t, "go", "build", "-o", programs+"/", root+"/cmd/cursor-ralph", root+"/cmd/cursor-ralph-hook", "./testdata/agent")
	powershell := filepath.Join(w.Windows(), "system32/WindowsPowerShell/v1.0/powershell.exe")
	if err := os.Remove(powershell); err != nil { // Wine's own does nothing
		t.Fatal(err)
	}
	w.Run(t, "go", "build", "-o", powershell, "./testdata/powershell")
	w.Env = append(w.Env, "WINE_TEST_PROGRAMS=Z:"+strings.ReplaceAll(programs, "/", `\`))
	for _, pkg := range []string{"internal/proc", "internal/ownfile", "test/windows"} {
		t.Run(pkg, func(t *testing.T) {
			exe := filepath.Join(w.Dir, filepath.Base(pkg)+".test.exe")
			w.Run(t, "go", "test", "-c", "-o", exe, root+"/"+pkg)
			w.Tests(t, exe, "-test.v", "-test.timeout=9m")
		})
	}
}
