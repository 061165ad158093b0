package desk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/testdesk"
)

// Windows writes Path, and its names differ not by their case.
func TestGetenv(t *testing.T) {
	for _, tt := range []struct{ os, name, want string }{
		{"windows", "PATH", "second"},
		{"windows", "path", "second"},
		{"windows", "PAT", ""},
		{"linux", "PATH", ""},
		{"linux", "Path", "second"},
	} {
		m := Machine{OS: tt.os, Env: []string{"Path=first", "Path=second", "OTHER=PATH=third"}}
		if got := m.Getenv(tt.name); got != tt.want {
			t.Errorf("%s, %s: got %q, want %q", tt.os, tt.name, got, tt.want)
		}
	}
	dir := t.TempDir()
	testdesk.Must(t, os.WriteFile(filepath.Join(dir, "tool.exe"), []byte("x"), 0o755))
	if got, err := (Machine{OS: "windows", Env: []string{"Path=" + dir}}).Look("tool.exe"); err != nil || got != filepath.Join(dir, "tool.exe") {
		t.Errorf("got %q, %v", got, err)
	}
}
