package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDiskUnderARun fills the disk in the second turn of a run: it says what
// happened, and goes on where it was when there is room again.
func TestFullDiskUnderARun(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small disk")
	}
	disk := smallDisk(t)
	filler := filepath.Join(disk, "filler")
	vars := map[string]string{"CURSOR_RALPH_NO_WATCHER": "1", "CURSOR_RALPH_DIR": filepath.Join(disk, "tmp"), "CURSOR_RALPH_STATE_DIR": filepath.Join(disk, "state"), "HOME": disk}
	getenv := func(name string) string { return vars[name] }
	t.Chdir(t.TempDir())
	must(t, os.Mkdir(vars["CURSOR_RALPH_DIR"], 0o700))
	must(t, os.WriteFile("agent", []byte("#!/bin/sh\ncat >/dev/null\necho x >>turns\ntest $(wc -l <turns) = 2 && dd if=/dev/zero of="+filler+" bs=4k 2>/dev/null\ntest $(wc -l <turns) = 3 && echo '<promise>COMPLETE</promise>'\nexit 0\n"), 0o700))
	var out, complaints bytes.Buffer
	code := run([]string{"run", "build it", "--agent-command", "./agent", "--max-iterations", "8", "--no-notify"}, &bytes.Buffer{}, &out, &complaints, getenv)
	if code != 1 || !strings.Contains(out.String(), "✗ not done: stopped after 1 of 8 iterations") {
		t.Errorf("got %d and %q, want that it stopped after one iteration", code, &out)
	}
	for _, want := range []string{"cursor-ralph: the run stopped because its state could not be saved: ", "no space left on device", "cursor-ralph run --resume "} {
		if !strings.Contains(complaints.String(), want) {
			t.Errorf("got %q, want %q in it", &complaints, want)
		}
	}
	must(t, os.Remove(filler))
	out.Reset()
	if code := run([]string{"run", "--resume", "--no-notify"}, &bytes.Buffer{}, &out, &complaints, getenv); code != 0 || !strings.Contains(out.String(), "PROMISE_ACCEPTED after 2 of 8") {
		t.Errorf("got %d, %q and %q, want that it went on", code, &out, &complaints)
	}
}

// smallDisk mounts a disk of one megabyte.
func smallDisk(t *testing.T) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("needs root that may mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return disk
}
