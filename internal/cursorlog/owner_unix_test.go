//go:build !windows

package cursorlog

import (
	"os"
	"syscall"
	"testing"
)

func TestReadLeavesOthersFilesAndPipesAlone(t *testing.T) {
	folder := t.TempDir()
	path := put(t, folder, "1/window1/output_1/cursor.hooks.x.log", "ERROR: Invalid user config: theirs\n", 0)
	if err := syscall.Mkfifo(folder+"/1/window1/output_1/cursor.hooks.pipe.log", 0o600); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root to give a file away")
	}
	if log, _ := Read(folder); len(log.Verdicts) != 1 {
		t.Fatalf("got %+v", log)
	}
	if err := os.Chown(path, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if log, paths := Read(folder); len(log.Verdicts)+len(paths) > 0 {
		t.Errorf("got %+v of %q", log, paths)
	}
}
