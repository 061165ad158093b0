//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// impostor is what somebody may have put where one of our files should be.
type impostor struct {
	name   string
	root   bool // only root can put it there
	file   func(w world, path string)
	folder func(w world, path string)
}

var impostors = []impostor{
	{"a link", false,
		func(w world, path string) { w.must(os.Symlink(w.secret(), path)) },
		func(w world, path string) { w.must(os.Symlink(w.vault(), path)) }},
	{"a dangling link", false,
		func(w world, path string) { w.must(os.Symlink(filepath.Join(w.vault(), "missing"), path)) },
		func(w world, path string) { w.must(os.Symlink(filepath.Join(w.vault(), "missing"), path)) }},
	{"a pipe", false,
		func(w world, path string) { w.must(syscall.Mkfifo(path, 0o600)) },
		func(w world, path string) { w.must(syscall.Mkfifo(path, 0o600)) }},
	{"another name of a file", false,
		func(w world, path string) { w.must(os.Link(w.secret(), path)) },
		func(w world, path string) { w.must(os.Link(w.secret(), path)) }},
	{"the wrong kind", false,
		func(w world, path string) { w.must(os.Mkdir(path, 0o700)) },
		func(w world, path string) { w.must(os.WriteFile(path, []byte(seven("secret")), 0o600)) }},
	{"somebody else's", true,
		func(w world, path string) { w.must(os.WriteFile(path, []byte(seven("secret")), 0o644)); w.away(path) },
		func(w world, path string) { w.must(os.Rename(w.vault(), path)); w.away(path) }},
	{"somebody else's that all may write", true,
		func(w world, path string) {
			w.must(os.WriteFile(path, []byte(seven("secret")), 0o600))
			w.must(os.Chmod(path, 0o666))
			w.away(path)
		},
		func(w world, path string) {
			w.must(os.Rename(w.vault(), path))
			w.must(os.Chmod(path, 0o777))
			w.away(path)
		}},
}

// secret is a file elsewhere that would be a fine state, pending file or log.
func (w world) secret() string {
	path := filepath.Join(w.dir, "secret")
	w.write(path, seven("secret"))
	return path
}

// vault is a folder elsewhere with such files.
func (w world) vault() string {
	dir := filepath.Join(w.dir, "vault")
	for _, name := range []string{me, "1700000000000-7"} {
		w.write(filepath.Join(dir, name+".json"), seven("secret"))
	}
	return dir
}

func (w world) away(path string) { w.Helper(); w.must(os.Chown(path, nobody, nobody)) }

// events are all that a chat may send us.
func (w world) events() []string {
	return []string{
		w.says(me, "<promise>COMPLETE</promise>"), w.uses(me, "1"), w.sends(me, "hello"), w.stopEvent(me),
		w.sends(me, `/ralph-loop "mine"`), w.sends(me, "/ralph-status"), w.sends(me, "/ralph-context x"),
		w.event("stop", me, fields{"status": "error"}), w.event("stop", me, fields{"status": "aborted"}),
	}
}

// TestImpostors puts them in the place of each of our files: none is read,
// written or followed, and the log tells.
func TestImpostors(t *testing.T) {
	for n, c := range []struct {
		name    string
		before  func(w world)
		places  func(w world) []string
		folder  bool
		begins  bool // the events begin or end a loop all the same
		unheard bool // no log can tell
		shared  bool // another user's makes our names change
	}{
		{name: "the state", places: func(w world) []string { return []string{w.places.Live(me)} }},
		{name: "the pending file by name", places: func(w world) []string { return []string{w.pending(me)} }},
		{name: "a pending file", begins: true, places: func(w world) []string { return []string{w.pending("1700000000000-7")} }},
		{name: "the legacy file", begins: true, places: func(w world) []string { return []string{w.places.Legacy()} }},
		{name: "the pending folder", folder: true, shared: true, places: func(w world) []string {
			w.must(os.RemoveAll(w.places.Pending()))
			return []string{w.places.Pending()}
		}},
		{name: "the lock of the folder", before: func(w world) { w.write(w.pending(me), seven("the task")) },
			places: func(w world) []string { return []string{filepath.Join(w.places.Pending(), ".lock")} }},
		{name: "the locks of loops", before: func(w world) { w.write(w.places.Live(me), seven("the task")) },
			places: func(w world) (paths []string) {
				for i := range 64 {
					paths = append(paths, filepath.Join(w.places.Pending(), fmt.Sprintf(".loop-%02d.lock", i)))
				}
				return paths
			}},
		{name: "the scratch folder", folder: true, before: func(w world) { w.write(w.places.Live(me), seven("the task")) },
			places: func(w world) []string {
				w.must(os.RemoveAll(w.places.Scratch()))
				return []string{w.places.Scratch()}
			}},
		{name: "the journal", begins: true, before: func(w world) { w.write(w.places.Live(me), seven("the task")) },
			places: func(w world) []string { return []string{w.places.Journal(me)} }},
		{name: "the journal, in a chat without a loop", before: func(w world) { w.write(w.pending(me), seven("the task")) },
			places: func(w world) []string { return []string{w.places.Journal(me)} }},
		{name: "the archive", folder: true, begins: true, before: func(w world) { w.write(w.places.Live(me), seven("the task")) },
			places: func(w world) []string {
				w.must(os.RemoveAll(w.places.Archive))
				return []string{w.places.Archive}
			}},
		{name: "the record", begins: true, before: func(w world) {
			w.write(w.places.Live(me), with("the task", fields{"started_at": "2026-01-01T00:00:00Z"}))
		}, places: func(w world) []string { return []string{w.record(me)} }},
		{name: "the log", begins: true, unheard: true, before: func(w world) { w.write(w.places.Live(me), seven("the task")) },
			places: func(w world) []string { return []string{w.logPath} }},
		{name: "the older log", begins: true, before: func(w world) {
			w.write(w.places.Live(me), seven("the task"))
			w.write(w.logPath, strings.Repeat("2026-01-01T00:00:00.000Z action=x why=refused\n", 5<<20/45+1))
		}, places: func(w world) []string { return []string{w.logPath + ".1"} }},
	} {
		kinds := impostors
		if testing.Short() {
			kinds = []impostor{impostors[n%len(impostors)]}
		}
		for _, i := range kinds {
			if i.root && c.shared {
				continue // then it is another user's, whom we leave it: TestNamesOfAnotherUser
			}
			t.Run(i.name+" for "+c.name, func(t *testing.T) {
				if i.root && os.Geteuid() != 0 {
					t.Skip("needs root, to make files of somebody else")
				}
				w := newWorld(t)
				w.must(os.MkdirAll(w.places.Scratch(), 0o700))
				if c.before != nil {
					c.before(w)
				}
				put := i.file
				if c.folder {
					put = i.folder
				}
				paths := c.places(w)
				for _, path := range paths {
					put(w, path)
				}
				before := w.files()
				stats := w.stats(paths)
				for _, event := range w.events() {
					answer := w.hook(event)
					if text := fmt.Sprint(answer); strings.Contains(text, "secret") {
						t.Errorf("got %s, want nothing of what is not ours", text)
					}
					if !c.begins && answer["followup_message"] != nil {
						t.Errorf("got %v, want no loop to go on", answer)
					}
				}
				if !c.unheard {
					w.logged("refused")
				}
				if got := w.stats(paths); !slices.Equal(got, stats) {
					t.Errorf("got %q where it was, want %q", got, stats)
				}
				if diff := cmp.Diff(foreignTo(w, before), foreignTo(w, w.files())); diff != "" {
					t.Errorf("got other files (-before +after):\n%s", diff)
				}
			})
		}
	}
}

// stats describe the files at some paths.
func (w world) stats(paths []string) (stats []string) {
	w.Helper()
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			w.Error(err)
			continue
		}
		s := info.Sys().(*syscall.Stat_t)
		stats = append(stats, fmt.Sprint(path, info.Mode(), s.Uid, s.Nlink, s.Ino, info.ModTime()))
	}
	return stats
}

// foreignTo leaves out what may change: our own folders.
func foreignTo(w world, files map[string]string) map[string]string {
	files = maps.Clone(files)
	maps.DeleteFunc(files, func(path, content string) bool {
		ours := strings.HasPrefix(path, "tmp") || strings.HasPrefix(path, "state")
		return ours && !strings.Contains(content, "secret")
	})
	return files
}

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
