//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secret is a file elsewhere that would be a fine state, pending file or log.
func (w world) secret() string {
	path := filepath.Join(w.dir, "secret")
	w.write(path, seven("secret"))
	return path
}

func (w world) away(path string) { w.Helper(); w.must(os.Chown(path, nobody, nobody)) }

// TestNamesOfAnotherUser: on a shared machine ours get our number, and the
// loops of both go on side by side.
func TestNamesOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to make files of somebody else")
	}
	w := newWorld(t)
	w.must(os.Chmod(w.dir, 0o755))
	w.must(os.Chmod(filepath.Dir(w.dir), 0o755))
	w.must(os.Chmod(w.places.Base, 0o777|os.ModeSticky))
	theirs := w.ordinary().in(w.places.Base, filepath.Join(w.dir, "state-theirs"))
	theirs.turn = &turns{now: map[string]string{}}
	w.must(os.Mkdir(filepath.Join(w.dir, "state-theirs"), 0o700))
	w.away(filepath.Join(w.dir, "state-theirs"))

	theirs.rests(theirs.sends("their-chat", `/ralph-loop "their task"`))
	w = w.in(w.places.Base, w.places.Archive)
	if got, want := filepath.Base(w.places.Pending()), "cursor-ralph-0-pending"; got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	w.rests(w.sends("our-chat", `/ralph-loop "our task"`))
	w.rests(w.stopEvent("their-chat")) // of another conversation, as far as we are concerned
	for range 3 {
		if got := theirs.followup(theirs.stopEvent("their-chat")); !strings.Contains(got, "their task") {
			t.Errorf("got %q, want their task", got)
		}
		if got := w.followup(w.stopEvent("our-chat")); !strings.Contains(got, "our task") {
			t.Errorf("got %q, want our task", got)
		}
	}
	w.once("their task")
	w.once("our task")
	for path := range w.files() {
		info, err := os.Lstat(filepath.Join(w.dir, path))
		w.must(err)
		if strings.HasPrefix(path, "tmp/") && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got mode %v, want it private", path, info.Mode())
		}
	}
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
