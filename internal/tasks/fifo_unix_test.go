//go:build unix

package tasks_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/internal/tasks"
)

// A pipe is not waited for, and a device is not read.
func TestOnlyRegularFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "TODO.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"TODO.md", filepath.Join(dir, "TODO.md"), "/dev/zero"} {
		if _, err := tasks.Read(t.Context(), dir, file); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: got %v", file, err)
		}
	}
}
