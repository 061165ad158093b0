//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// secret is a file elsewhere that would be a fine state, pending file or log.
func (w world) secret() string {
	path := filepath.Join(w.dir, "secret")
	w.write(path, seven("secret"))
	return path
}

func (w world) away(path string) { w.Helper(); w.must(os.Chown(path, nobody, nobody)) }

// TestALinkInThePlaceOfEachFile: none is followed, and the log shows it. Other
// things in a file's place are internal/ownfile's tests.
func TestALinkInThePlaceOfEachFile(t *testing.T) {
	waits := func(w world) { w.write(w.pending(me), seven("the task")) }
	runs := func(w world) {
		w.write(w.places.Live(me), with("the task", fields{"started_at": "2026-01-01T00:00:00Z"}))
	}
	for _, c := range []struct {
		name   string
		before func(w world)
		paths  func(w world) []string
		to     func(w world) string
		begins bool // a loop begins or goes on all the same
	}{
		{"the state", nil, func(w world) []string { return []string{w.places.Live(me)} }, world.secret, false},
		{"the pending file by name", nil, func(w world) []string { return []string{w.pending(me)} }, world.secret, false},
		{"a pending file", nil, func(w world) []string { return []string{w.pending("1700000000000-7")} }, world.secret, true},
		{"the legacy file", nil, func(w world) []string { return []string{w.places.Legacy()} }, world.secret, true},
		{"the pending folder", nil, func(w world) []string { return []string{w.places.Pending()} }, world.vault, false},
		{"the lock of the folder", waits, func(w world) []string { return []string{filepath.Join(w.places.Pending(), ".lock")} }, world.secret, false},
		{"the locks of loops", runs, loopLocks, world.secret, false},
		{"the scratch folder", runs, func(w world) []string { return []string{w.places.Scratch()} }, world.vault, false},
		{"the journal", runs, func(w world) []string { return []string{w.places.Journal(me)} }, world.secret, true},
		{"the journal, in a chat without a loop", waits, func(w world) []string { return []string{w.places.Journal(me)} }, world.secret, false},
		{"the archive", runs, func(w world) []string { return []string{w.places.Archive} }, world.vault, true},
		{"the record", runs, func(w world) []string { return []string{w.record(me)} }, world.secret, true},
		{"the older log", func(w world) {
			runs(w)
			w.write(w.logPath, strings.Repeat("2026-01-01T00:00:00.000Z action=x why=refused\n", 5<<20/45+1))
		}, func(w world) []string { return []string{w.logPath + ".1"} }, world.secret, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.must(os.MkdirAll(w.places.Scratch(), 0o700))
			if c.before != nil {
				c.before(w)
			}
			to := c.to(w)
			for _, path := range c.paths(w) {
				w.must(os.RemoveAll(path))
				w.must(os.MkdirAll(filepath.Dir(path), 0o700))
				w.must(os.Symlink(to, path))
			}
			there := w.under("secret", "vault")
			for _, event := range []string{
				w.says(me, promise), w.uses(me, "1"), w.sends(me, "hello"), w.stopEvent(me), w.sends(me, `/ralph-loop "mine"`), w.sends(me, "/ralph-status"),
				w.sends(me, "/ralph-context x"), w.event("stop", me, fields{"status": "error"}), w.event("stop", me, fields{"status": "aborted"}),
			} {
				answer := w.hook(event)
				if text := fmt.Sprint(answer); strings.Contains(text, "secret") || !c.begins && answer["followup_message"] != nil {
					t.Errorf("got %s, want nothing of what is not ours and no loop to go on", text)
				}
			}
			w.logged("refused")
			for _, path := range c.paths(w) {
				if got, err := os.Readlink(path); err != nil || got != to {
					t.Errorf("%s: got a link to %q and %v, want it left alone", path, got, err)
				}
			}
			if diff := cmp.Diff(there, w.under("secret", "vault")); diff != "" {
				t.Errorf("got other files where the link leads (-before +after):\n%s", diff)
			}
		})
	}
}

func loopLocks(w world) (paths []string) {
	for i := range 64 {
		paths = append(paths, filepath.Join(w.places.Pending(), fmt.Sprintf(".loop-%02d.lock", i)))
	}
	return paths
}

// vault is a folder elsewhere with such files.
func (w world) vault() string {
	dir := filepath.Join(w.dir, "vault")
	for _, name := range []string{me, "1700000000000-7"} {
		w.write(filepath.Join(dir, name+".json"), seven("secret"))
	}
	return dir
}

// under returns the files whose paths begin with one of the names.
func (w world) under(names ...string) map[string]string {
	found := w.files()
	maps.DeleteFunc(found, func(path, _ string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(path, name) })
	})
	return found
}

// TestFileOfAnotherUserCostsNoTime: a file that cannot be read must not be
// taken for one that is still being written.
func TestFileOfAnotherUserCostsNoTime(t *testing.T) {
	w := newWorld(t).ordinary()
	w.must(os.MkdirAll(w.places.Pending(), 0o700))
	w.write(w.places.Legacy(), seven("secret"))
	w.give()
	if os.Geteuid() == 0 {
		w.must(os.Chown(w.places.Legacy(), 0, 0))
	}
	w.must(os.Chmod(w.places.Legacy(), 0))
	w.quick(func() { w.rests(w.stopEvent(me)) })
	w.logged("action=error")
}

// TestALogGoesOnToBeRotated where another user has put a file in the place of
// its lock.
func TestALogGoesOnToBeRotated(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make files of somebody else")
	}
	w := newWorld(t)
	w.write(w.places.Live(me), seven("the task"))
	w.write(w.logPath+".lock", "")
	w.away(w.logPath + ".lock")
	own := w.places.Log()
	w.write(own, strings.Repeat("2026-01-01T00:00:00.000Z action=x why=y\n", 5<<20/39+1))
	w.followup(w.stopEvent(me))
	if !w.exists(own+".1") || w.exists(own) {
		t.Errorf("%s was not rotated", own)
	}
}
