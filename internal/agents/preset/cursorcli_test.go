package preset

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestIsCursorCLI(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"share/cursor-agent/versions/2026.05.01-eea359f/cursor-agent": true,
		"share/cursor-agent/versions/2026.05.01-eea359f/agent":        true,
		"AppData/Local/cursor-agent/agent.cmd":                        true,
		"dist-package/cursor-agent":                                   true,
		"bin/cursor-agent.exe":                                        true,
		"bin/agent":                                                   false,
		"src/cursor-agent/bin/agent":                                  false,
		"share/grafana-agent/versions/1/agent":                        false,
		"opt/cursor-agent-exporter/agent":                             false,
	} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o755)); err != nil {
			t.Fatal(err)
		}
		if got := isCursorCLI(path); got != want {
			t.Errorf("%s: got %t, want %t", path, got, want)
		}
	}
	if isCursorCLI(filepath.Join(dir, "missing", "cursor-agent")) {
		t.Error("what does not exist counts")
	}
}
