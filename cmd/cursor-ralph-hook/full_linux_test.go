package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDisk runs a loop on a disk with less and less room, so that every
// write of the hook fails at some time: no loop is lost, no file torn.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small disk")
	}
	w := newWorld(t)
	disk := filepath.Join(w.dir, "disk")
	w.must(os.Mkdir(disk, 0o700))
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("needs root that may mount a small disk: %v", err)
	}
	t.Cleanup(func() { w.must(syscall.Unmount(disk, syscall.MNT_DETACH)) })
	w.dir = disk
	task := "the task " + strings.Repeat("x", 20_000)
	for pages := range 24 {
		for name, begin := range map[string]func(w world) string{
			"stop":   func(w world) string { w.write(w.places.Live(me), seven(task)); return w.stopEvent(me) },
			"claim":  func(w world) string { w.write(w.pending("1700000000000-7"), seven(task)); return w.stopEvent(me) },
			"cancel": func(w world) string { w.write(w.places.Live(me), seven(task)); return w.sends(me, "/cancel-ralph") },
			"end": func(w world) string {
				w.write(w.places.Live(me), with(task, fields{"last_output": "COMPLETE", "min_tool_calls": 0}))
				return w.stopEvent(me)
			},
			"promise": func(w world) string { w.write(w.places.Live(me), seven(task)); return w.says(me, promise) },
		} {
			dir := filepath.Join(disk, fmt.Sprint(name, pages))
			w.must(os.Mkdir(dir, 0o700))
			w := w.in(dir, filepath.Join(disk, "state"))
			w.must(os.MkdirAll(w.places.Scratch(), 0o700))
			event := begin(w)
			filler := w.fill(pages)
			w.hook(event)
			w.onceHere(task)
			w.must(os.Remove(filler))
			w.hook(w.stopEvent(me))
			w.onceHere(task)
			w.noBrokenFile()
			w.must(os.RemoveAll(dir))
			w.must(os.RemoveAll(w.places.Archive))
		}
	}
}

func (w world) onceHere(task string) {
	w.Helper()
	pending, running, over := w.count(task)
	if pending+running+over != 1 {
		w.Errorf("%s: got %d pending, %d running, %d over, want it once", filepath.Base(w.places.Base), pending, running, over)
	}
}

// noBrokenFile checks that what went wrong for want of room was no file.
func (w world) noBrokenFile() {
	w.Helper()
	for path := range w.files() {
		if strings.Contains(path, ".corrupt-") {
			w.Errorf("got %s", path)
		}
	}
}

// fill leaves so many pages of a disk free.
func (w world) fill(pages int) (filler string) {
	w.Helper()
	var disk syscall.Statfs_t
	w.must(syscall.Statfs(w.dir, &disk))
	filler = filepath.Join(w.dir, "filler")
	size := (int64(disk.Bfree) - int64(pages)) * disk.Bsize
	if size < 0 {
		w.Fatalf("there are only %d pages", disk.Bfree)
	}
	w.must(os.WriteFile(filler, make([]byte, size), 0o600))
	return filler
}
