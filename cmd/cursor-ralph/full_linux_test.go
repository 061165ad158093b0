package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/pending"
	"github.com/cursor-ralph/cursor-ralph/platform"
	"github.com/cursor-ralph/cursor-ralph/state"
)

// fullDisk is a disk with little room, and the folders of cursor-ralph on it.
type fullDisk struct {
	*testing.T
	disk string
	dir  string
	vars map[string]string
}

// TestFullDisk gives commands on a disk with less and less room, so that every
// write fails at some time: a command that says it was done was done, one that
// says otherwise changed nothing, and later it works.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small disk")
	}
	disk := smallDisk(t)
	refused := 0
	for pages := range 24 {
		for name, tt := range map[string]struct {
			args []string
			done func(l loop.State) bool
		}{
			"start":   {[]string{"start", bulky("new")}, func(l loop.State) bool { return l.Prompt == bulky("new") }},
			"note":    {[]string{"note", "chat-1", "half of it"}, func(l loop.State) bool { return l.LastOutput == "half of it" }},
			"context": {[]string{"context", "chat-1", "port 5433"}, func(l loop.State) bool { return strings.Join(l.Context, "|") == "port 5433" }},
			"pause":   {[]string{"pause", "chat-1"}, func(l loop.State) bool { return l.Status == loop.Paused }},
			"cancel":  {[]string{"cancel", "chat-1"}, func(l loop.State) bool { return l.Status == loop.Cancelled }},
		} {
			d := newFullDisk(t, disk, fmt.Sprint(name, pages))
			d.fill(pages)
			said, complaint := d.cli(tt.args...)
			if !said {
				refused++
			}
			if got := d.has(tt.done); got != said {
				d.Errorf("%s with %d pages: it said %t (%s), and it was %t", name, pages, said, complaint, got)
			}
			d.empty()
			if _, complaint = d.cli(tt.args...); !d.has(tt.done) {
				d.Errorf("%s with %d pages, and then with room: it was not done: %s", name, pages, complaint)
			}
			d.whole()
		}
	}
	if refused == 0 {
		t.Error("there was always room enough")
	}
}

// TestFullDiskUnderARun fills the disk in the second turn of a run: it says what
// happened, and goes on where it was when there is room again.
func TestFullDiskUnderARun(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to mount a small disk")
	}
	d := newFullDisk(t, smallDisk(t), "run")
	filler := filepath.Join(d.disk, "filler")
	t.Chdir(t.TempDir())
	d.must(os.WriteFile("agent", []byte("#!/bin/sh\ncat >/dev/null\necho x >>turns\ntest $(wc -l <turns) = 2 && dd if=/dev/zero of="+filler+" bs=4k 2>/dev/null\ntest $(wc -l <turns) = 3 && echo '<promise>COMPLETE</promise>'\nexit 0\n"), 0o700))
	var out, complaints bytes.Buffer
	code := run([]string{"run", "build it", "--agent-command", "./agent", "--max-iterations", "8", "--no-notify"}, &bytes.Buffer{}, &out, &complaints, d.getenv)
	if code != 1 || !strings.Contains(out.String(), "\nstopped after 1 of 8 iterations") {
		t.Errorf("got %d and %q, want that it stopped after one iteration", code, &out)
	}
	for _, want := range []string{"cursor-ralph: the run stopped because its state could not be saved: ", "no space left on device", "cursor-ralph run --resume run-"} {
		if !strings.Contains(complaints.String(), want) {
			t.Errorf("got %q, want %q in it", &complaints, want)
		}
	}
	d.must(os.Remove(filler))
	out.Reset()
	if code := run([]string{"run", "--resume", "--no-notify"}, &bytes.Buffer{}, &out, &complaints, d.getenv); code != 0 || !strings.Contains(out.String(), "PROMISE_ACCEPTED after 2 of 8") {
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

// bulky is a task of a few pages.
func bulky(name string) string { return name + " task " + strings.Repeat("x", 20_000) }

// newFullDisk has a loop that runs, on a disk that has room still.
func newFullDisk(t *testing.T, disk, name string) fullDisk {
	t.Helper()
	d := fullDisk{T: t, disk: disk, dir: filepath.Join(disk, name)}
	d.vars = map[string]string{"CURSOR_RALPH_NO_WATCHER": "1", "CURSOR_RALPH_DIR": filepath.Join(d.dir, "tmp"), "CURSOR_RALPH_STATE_DIR": filepath.Join(d.dir, "state"), "HOME": d.dir}
	d.must(errors.Join(os.MkdirAll(d.vars["CURSOR_RALPH_DIR"], 0o700), os.MkdirAll(d.vars["CURSOR_RALPH_STATE_DIR"], 0o700)))
	l := loop.New()
	l.Prompt = bulky("old")
	d.must(d.store().Begin(t.Context(), "chat-1", l))
	return d
}

func (d fullDisk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d fullDisk) getenv(name string) string { return d.vars[name] }

func (d fullDisk) places() platform.Places {
	d.Helper()
	places, err := platform.Find(d.getenv)
	d.must(err)
	return places
}

func (d fullDisk) store() *state.Store { d.Helper(); return state.New(d.places(), time.Now) }

// cli runs a command, and reports whether it succeeded.
func (d fullDisk) cli(args ...string) (done bool, complaint string) {
	var out, complaints bytes.Buffer
	code := run(args, &bytes.Buffer{}, &out, &complaints, d.getenv)
	if code == 1 && !strings.HasPrefix(complaints.String(), "cursor-ralph: ") {
		d.Errorf("%s: got %q, want what is wrong", args[0], &complaints)
	}
	return code == 0, complaints.String()
}

// has reports whether something holds for any loop: pending, live or in the
// archive.
func (d fullDisk) has(holds func(l loop.State) bool) bool {
	d.Helper()
	items, err := pending.New(d.places(), nil, time.Now).List()
	d.must(err)
	for _, i := range items {
		if i.Err != nil {
			d.Errorf("%s: %v", i.Name, i.Err)
		}
		if holds(i.State) {
			return true
		}
	}
	l, err := d.store().Read("chat-1") // also of a loop that has ended and is not archived yet
	if errors.Is(err, fs.ErrNotExist) && l.Prompt == "" {
		l, err = d.store().Archived("chat-1")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.Error(err)
	}
	return holds(l)
}

// fill leaves so many pages of the disk free.
func (d fullDisk) fill(pages int) {
	d.Helper()
	var disk syscall.Statfs_t
	d.must(syscall.Statfs(d.disk, &disk))
	size := (int64(disk.Bfree) - int64(pages)) * disk.Bsize
	d.must(os.WriteFile(filepath.Join(d.disk, "filler"), make([]byte, max(size, 0)), 0o600))
}

func (d fullDisk) empty() { d.Helper(); d.must(os.Remove(filepath.Join(d.disk, "filler"))) }

// whole wants no file torn or left unfinished, and makes room for the next case.
func (d fullDisk) whole() {
	d.Helper()
	d.must(filepath.WalkDir(d.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && (strings.Contains(path, ".corrupt-") || strings.Contains(entry.Name(), ".new-")) {
			d.Errorf("got %s", path)
		}
		return err
	}))
	d.must(os.RemoveAll(d.dir))
}
