//go:build unix

package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatNoCheckpointHasStays: a file that the checkpoint left out, for whatever reason, is not removed when the reason
// has gone.
func TestWhatNoCheckpointHasStays(t *testing.T) {
	for name, c := range map[string]struct {
		prepare, work func(*world)
		stays         string
		mode          os.FileMode
		ignored       bool // when the loop began, so in no checkpoint
	}{
		"the agent removed .gitignore": {func(w *world) {
			w.write(".gitignore", ".env\n")
			w.write(".env", "secret\n")
		}, func(w *world) { w.remove(".gitignore") }, ".env", 0o600, true},
		"the agent changed .gitignore": {func(w *world) {
			w.write(".gitignore", "*.log\n")
			w.write("dir/x.log", "log\n")
			w.chmod("dir/x.log", 0o640)
		}, func(w *world) { w.write(".gitignore", "*.log\n!x.log\n") }, "dir/x.log", 0o640, true},
		"a .gitignore with a byte order mark": {func(w *world) {
			w.write(".gitignore", "\xef\xbb\xbf.env\n")
			w.write(".env", "secret\n")
		}, func(w *world) { w.remove(".gitignore") }, ".env", 0o600, true},
		"a .gitignore in a folder": {func(w *world) {
			w.write("dir/b/.gitignore", "/build/\n")
			w.write("dir/b/build/deep/out", "out\n")
		}, func(w *world) { w.remove("dir/b/.gitignore") }, "dir/b/build/deep/out", 0o600, true},
		"a .gitignore that ignores itself": {func(w *world) {
			w.write("tools/venv/.gitignore", "\xef\xbb\xbf*\n")
			w.write("tools/venv/lib/x", "x\n")
		}, func(w *world) { w.remove("tools/venv/.gitignore") }, "tools/venv/lib/x", 0o600, true},
		"the topmost .gitignore ignores itself": {func(w *world) {
			w.write(".git/info/exclude", "*.log\n")
			w.write(".gitignore", ".env\n.gitignore\n")
			w.write(".env", "secret\n")
		}, func(w *world) { w.remove(".gitignore") }, ".env", 0o600, true},
		"a .gitignore with a folder in its place": {func(w *world) {
			w.write(".gitignore", ".env\n")
			w.write(".env", "secret\n")
		}, func(w *world) { w.remove(".gitignore"); w.write(".gitignore/x", "x\n") }, ".env", 0o600, true},
		"odd names": {func(w *world) {
			w.write("tab\tand\nline/.gitignore", "-n\n")
			w.write("tab\tand\nline/-n", "x")
			w.write(":(glob)**", "x")
		}, func(w *world) { w.remove("tab\tand\nline/.gitignore") }, "tab\tand\nline/-n", 0o600, true},
		"info/exclude": {func(w *world) {
			w.write(".git/info/exclude", ".env\n")
			w.write(".env", "secret\n")
		}, func(w *world) { w.write(".git/info/exclude", "!.env\n") }, ".env", 0o600, true},
		"in a repository that lost its .git": {func(w *world) {
			w.write("nested/file", "1\n")
			w.gitIn(filepath.Join(w.root, "nested"), "init", "-q")
		}, func(w *world) { w.remove("nested/.git") }, "nested/file", 0o600, false},
		"too large before": {func(w *world) {
			w.write("big", "big\n")
			w.must(os.Truncate(filepath.Join(w.root, "big"), largest+1))
		}, func(w *world) { w.must(os.Truncate(filepath.Join(w.root, "big"), 10)) }, "big", 0o600, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.prepare(w)
			w.write("a", "1\n")
			w.take("0")
			w.write("a", "2\n")
			w.write("new", "by the agent\n")
			c.work(w)
			want := w.read(c.stays)
			done := w.restore("0")
			if got := w.read(c.stays); got != want {
				t.Fatalf("got %.60q, want %.60q", got, want)
			}
			if info, err := os.Stat(filepath.Join(w.root, c.stays)); err != nil || info.Mode().Perm() != c.mode {
				t.Errorf("got %v, %v, want %o", info.Mode(), err, c.mode)
			}
			if strings.Contains(w.git("ls-tree", "-r", "-z", "--name-only", Ref(w.l, done.Before.Name))+"\x00", c.stays+"\x00") == c.ignored {
				t.Errorf("%s is in the checkpoint before the restore: %v", c.stays, !c.ignored)
			}
			if !c.ignored && (len(done.Kept) != 1 || done.Kept[0].Path != c.stays) || c.ignored && len(done.Kept) > 0 {
				t.Errorf("kept %v", done.Kept)
			}
			if w.read("a") != "1\n" {
				t.Errorf("a is %q", w.read("a"))
			}
			if _, err := os.Lstat(filepath.Join(w.root, "new")); err == nil {
				t.Error("the agent's new file is still there")
			}
			if again := w.restore(done.Before.Name); len(again.Kept) > 0 || w.read(c.stays) != want {
				t.Errorf("undone: kept %v, and it is %.60q", again.Kept, w.read(c.stays))
			}
		})
	}
}

// TestIgnoredWhenTheLoopBeganStaysOut: also a file that comes later, and what the user
// tracks stays in.
func TestIgnoredWhenTheLoopBeganStaysOut(t *testing.T) {
	w := newWorld(t)
	w.write(".gitignore", "*.key\nlogs/\n")
	w.write("tracked.key", "1\n")
	w.write("old.key", "secret\n")
	w.git("add", "-f", ".gitignore", "tracked.key")
	w.git("commit", "-q", "-m", "x")
	w.take("0")
	w.write(".gitignore", "")
	w.write(".git/info/exclude", "!*\n")
	w.write("sub/new.key", "secret\n")
	w.write("logs/today", "secret\n")
	w.write("tracked.key", "2\n")
	w.write("work", "done\n")
	w.take("1")
	w.write("later.key", "secret\n")
	w.git("add", "-A")
	w.take("2")
	for _, n := range []Name{"1", "2"} {
		if got, want := w.tree(n), "100644 .gitignore\n100644 tracked.key\n100644 work"; got != want {
			t.Errorf("%s: got %s\nwant %s", n, got, want)
		}
	}
	if got := w.git("show", Ref(w.l, "2")+":tracked.key"); got != "2\n" {
		t.Errorf("got %q", got)
	}
	work, err := w.p.Since(context.Background(), w.l)
	w.must(err)
	if strings.Contains(string(work.Patch), "secret") {
		t.Errorf("a reviewer gets %s", work.Patch)
	}
	if entries, _ := filepath.Glob(filepath.Join(work.Folder, "*.key")); len(entries) != 1 {
		t.Errorf("the reviewer's folder has %v", entries)
	}
	w.must(work.Remove())
}

// TestKinds: each kind of file takes the place of each other one, there and back.
func TestKinds(t *testing.T) {
	kinds := map[string]func(w *world, name string){
		"nothing":        func(*world, string) {},
		"file":           func(w *world, name string) { w.write(name, "a file\n") },
		"program":        func(w *world, name string) { w.write(name, "#!/bin/sh\n"); w.chmod(name, 0o700) },
		"link":           func(w *world, name string) { w.link("some", name) },
		"link to folder": func(w *world, name string) { w.link("folder", name) },
		"dangling link":  func(w *world, name string) { w.link("/nowhere", name) },
		"folder":         func(w *world, name string) { w.write(name+"/file", "1\n"); w.write(name+"/deep/file", "2\n") },
		"case":           func(w *world, name string) { w.write(name+"/README", "1\n") },
		"other case":     func(w *world, name string) { w.write(name+"/Readme", "1\n") },
	}
	w := newWorld(t)
	w.write("some", "some\n")
	w.write("folder/file", "other\n")
	for from, begin := range kinds {
		for to := range kinds {
			begin(w, from+" to "+to)
		}
	}
	w.commit()
	w.round(func() {
		for from := range kinds {
			for to, end := range kinds {
				w.remove(from + " to " + to)
				end(w, from+" to "+to)
			}
		}
	})
}

// TestSparseBitsChange: the files on disk are what counts.
func TestSparseBitsChange(t *testing.T) {
	for name, c := range map[string]struct {
		before, work []string
		was, is      string // of dir/c and other/d
	}{
		"narrower": {[]string{"disable"}, []string{"set", "--cone", "dir"}, "1 1", "1 2"},
		"wider":    {[]string{"set", "--cone", "dir"}, []string{"disable"}, "1 -", "1 2"},
		"another":  {[]string{"set", "--cone", "--sparse-index", "dir"}, []string{"set", "--cone", "other"}, "1 -", "- 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, file := range []string{"a", "dir/c", "other/d"} {
				w.write(file, "1")
			}
			w.commit()
			w.git(append([]string{"sparse-checkout"}, c.before...)...)
			w.take("0")
			w.git(append([]string{"sparse-checkout"}, c.work...)...)
			w.write("a", "2")
			w.write("other/d", "2")
			after := w.user()
			w.take("1")
			w.same(after)
			for n, want := range map[Name]string{"0": "1 " + c.was, "1": "2 " + c.is} {
				done := w.restore(n)
				got := ""
				for _, file := range []string{"a", "dir/c", "other/d"} {
					if content := w.read(file); len(content) == 1 {
						got += " " + content
					} else {
						got += " -"
					}
				}
				if got != " "+want || len(done.Kept) > 0 {
					t.Errorf("restore %s: got%s, want %s; kept %v", n, got, want, done.Kept)
				}
			}
		})
	}
}

// TestPermissions: git knows one bit of them, or none.
func TestPermissions(t *testing.T) {
	for _, fileMode := range []string{"true", "false"} {
		t.Run("core.filemode "+fileMode, func(t *testing.T) {
			w := newWorld(t)
			w.git("config", "core.filemode", fileMode)
			w.keepsModes()
		})
	}
}

// keepsModes: a file that is replaced keeps its permissions; one that comes back has those
// that git gives it.
func (w *world) keepsModes() {
	w.Helper()
	modes := map[string]os.FileMode{"private": 0o600, "private program": 0o700, "for the group": 0o640, "usual": 0o644, "program": 0o755}
	for name, mode := range modes {
		w.write(name, "1\n")
		w.chmod(name, mode)
	}
	w.write("removed/file", "1\n")
	w.take("0")
	for name := range modes {
		w.write(name, "2\n")
	}
	w.remove("removed")
	w.restore("0")
	for name, mode := range modes {
		if info, err := os.Stat(filepath.Join(w.root, name)); err != nil || info.Mode().Perm() != mode {
			w.Errorf("%s: got %v, %v, want %o", name, info.Mode(), err, mode)
		}
	}
	made := filepath.Join(w.root, "made")
	w.must(os.WriteFile(made, nil, 0o666))
	usual, err := os.Stat(made)
	w.must(err)
	if info, err := os.Stat(filepath.Join(w.root, "removed/file")); err != nil || info.Mode() != usual.Mode() {
		w.Errorf("got %v, %v, want %v", info, err, usual.Mode())
	}
}

// objectsElsewhere puts the repository's objects into another file system.
func (w *world) objectsElsewhere() string {
	w.Helper()
	objects, err := os.MkdirTemp("/dev/shm", "checkpoint")
	if err != nil {
		w.Skip("needs /dev/shm")
	}
	w.Cleanup(func() { _ = os.RemoveAll(objects) }) // a test's own
	w.remove(".git/objects")
	w.link(objects, ".git/objects")
	return objects
}

// TestRepositoryInAnotherFileSystem: no file can be moved from there to the work tree.
func TestRepositoryInAnotherFileSystem(t *testing.T) {
	w := newWorld(t)
	objects := w.objectsElsewhere()
	w.write("a", "1\n")
	w.write("dir/b", "1\n")
	w.write("run", "#!/bin/sh\n")
	w.chmod("run", 0o750)
	w.commit()
	w.round(func() {
		w.write("a", "2\n")
		w.write("run", "#!/bin/bash\n")
		w.remove("dir")
		w.link("a", "dir")
	})
	if info, err := os.Stat(filepath.Join(w.root, "run")); err != nil || info.Mode() != 0o750 {
		t.Errorf("got %v, %v, want 750", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(objects, "tmp_*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestNoFileIsEverPartly: neither is it missing for a moment, also where it cannot be moved from the repository. From
// there it is moved, so a kill leaves nothing else in the work tree.
func TestNoFileIsEverPartly(t *testing.T) {
	for name, prepare := range map[string]func(*world){
		"ordinary":         func(*world) {},
		"linked work tree": (*world).linked,
		objectsElsewhere:   func(w *world) { w.objectsElsewhere() },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			prepare(w)
			big, wrong := strings.Repeat("before\n", 1<<20), ""
			w.write("dir/a", big)
			w.take("0")
			w.write("dir/a", "after\n")
			done := make(chan error)
			go func() {
				_, err := w.p.Restore(context.Background(), w.l, "0", false)
				done <- err
			}()
			for {
				info, err := os.Stat(filepath.Join(w.root, "dir/a"))
				if err != nil || info.Size() != int64(len(big)) && info.Size() != int64(len("after\n")) {
					wrong = fmt.Sprint(info, err)
				}
				if entries, err := os.ReadDir(filepath.Join(w.root, "dir")); name != objectsElsewhere && (err != nil || len(entries) != 1) {
					wrong = fmt.Sprint(entries, err)
				}
				select {
				case err := <-done:
					w.must(err)
					if wrong != "" || w.read("dir/a") != big {
						t.Errorf("during the restore it was %s; restored: %v", wrong, w.read("dir/a") == big)
					}
					if left, _ := filepath.Glob(filepath.Join(w.objects(), "tmp_*")); len(left) > 0 {
						t.Errorf("left: %v", left)
					}
					return
				default:
				}
			}
		})
	}
}

const objectsElsewhere = "objects in another file system"

func (w *world) objects() string {
	w.Helper()
	r, err := w.p.open(w.l)
	w.must(err)
	return r.user.Objects()
}

// linked makes it a linked work tree.
func (w *world) linked() {
	w.Helper()
	w.write("file", "1\n")
	w.commit()
	linked := filepath.Join(filepath.Dir(w.root), "linked")
	w.git("worktree", "add", "-q", linked)
	w.root, w.l.Workspace = linked, linked
}

// TestLeftByAKilledRestore: it is no work, and the loop's next checkpoint removes it.
func TestLeftByAKilledRestore(t *testing.T) {
	w := newWorld(t)
	w.write("a", "1\n")
	ours, others := "dir/"+temporary+w.l.ShortID(), "dir/"+temporary+"kzzzz"
	w.write(ours, "par")
	w.write(others, "par")
	w.take("0")
	if got, want := w.tree("0"), "100644 a"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := os.Lstat(filepath.Join(w.root, ours)); err == nil {
		t.Error("it is still there")
	}
	if got := w.read(others); got != "par" {
		t.Errorf("that of another loop: got %q", got)
	}
}

// TestFoldersThatCannotBeWritten: each file is restored or kept with the reason, and nothing else changes.
func TestFoldersThatCannotBeWritten(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("needs an ordinary user")
	}
	w := newWorld(t)
	w.write("dir/a", "1\n")
	w.write("b", "1\n")
	w.take("0")
	w.write("dir/a", "2\n")
	w.write("b", "2\n")
	w.chmod("dir", 0o500)
	defer w.chmod("dir", 0o700)
	done, err := w.p.Restore(context.Background(), w.l, "0", false)
	w.must(err)
	if len(done.Kept) != 1 || done.Kept[0].Path != "dir/a" || w.read("dir/a") != "2\n" || w.read("b") != "1\n" {
		t.Errorf("kept %v; dir/a is %q, b %q", done.Kept, w.read("dir/a"), w.read("b"))
	}
}
