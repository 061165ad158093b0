//go:build unix

package checkpoint

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// TestWhatNoCheckpointHasStays: a file that the checkpoint left out, for whatever reason, is not removed when the reason
// has gone.
func TestWhatNoCheckpointHasStays(t *testing.T) {
	for name, c := range map[string]struct {
		prepare, work func(*world)
		stays         string
		mode          os.FileMode
	}{
		"the agent removed .gitignore": {func(w *world) {
			w.write(".gitignore", ".env\n")
			w.write(".env", "secret\n")
		}, func(w *world) { w.remove(".gitignore") }, ".env", 0o600},
		"the agent changed .gitignore": {func(w *world) {
			w.write(".gitignore", "*.log\n")
			w.write("dir/x.log", "log\n")
			w.chmod("dir/x.log", 0o640)
		}, func(w *world) { w.write(".gitignore", "*.log\n!x.log\n") }, "dir/x.log", 0o640},
		"a .gitignore with a byte order mark": {func(w *world) {
			w.write(".gitignore", "\xef\xbb\xbf.env\n")
			w.write(".env", "secret\n")
		}, func(w *world) { w.remove(".gitignore") }, ".env", 0o600},
		"a .gitignore in a folder": {func(w *world) {
			w.write("dir/b/.gitignore", "/build/\n")
			w.write("dir/b/build/deep/out", "out\n")
		}, func(w *world) { w.remove("dir/b/.gitignore") }, "dir/b/build/deep/out", 0o600},
		"a .gitignore that ignores itself": {func(w *world) {
			w.write("tools/venv/.gitignore", "\xef\xbb\xbf*\n")
			w.write("tools/venv/lib/x", "x\n")
		}, func(w *world) { w.remove("tools/venv/.gitignore") }, "tools/venv/lib/x", 0o600},
		"the topmost .gitignore ignores itself": {func(w *world) {
			w.write(".git/info/exclude", "*.log\n")
			w.write(".gitignore", ".env\n.gitignore\n")
			w.write(".env", "secret\n")
		}, func(w *world) { w.remove(".gitignore") }, ".env", 0o600},
		"a .gitignore with a folder in its place": {func(w *world) {
			w.write(".gitignore", ".env\n")
			w.write(".env", "secret\n")
		}, func(w *world) { w.remove(".gitignore"); w.write(".gitignore/x", "x\n") }, ".env", 0o600},
		"odd names": {func(w *world) {
			w.write("tab\tand\nline/.gitignore", "-n\n")
			w.write("tab\tand\nline/-n", "x")
			w.write(":(glob)**", "x")
		}, func(w *world) { w.remove("tab\tand\nline/.gitignore") }, "tab\tand\nline/-n", 0o600},
		"info/exclude": {func(w *world) {
			w.write(".git/info/exclude", ".env\n")
			w.write(".env", "secret\n")
		}, func(w *world) { w.write(".git/info/exclude", "!.env\n") }, ".env", 0o600},
		"in a repository that lost its .git": {func(w *world) {
			w.write("nested/file", "1\n")
			w.gitIn(filepath.Join(w.root, "nested"), "init", "-q")
		}, func(w *world) { w.remove("nested/.git") }, "nested/file", 0o600},
		"too large before": {func(w *world) {
			w.write("big", "big\n")
			w.must(os.Truncate(filepath.Join(w.root, "big"), largest+1))
		}, func(w *world) { w.must(os.Truncate(filepath.Join(w.root, "big"), 10)) }, "big", 0o600},
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
			if len(done.Kept) != 1 || done.Kept[0].Path != c.stays {
				t.Errorf("kept %v, want %s", done.Kept, c.stays)
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
	for _, ignoreCase := range []string{"false", "true"} {
		t.Run("core.ignorecase "+ignoreCase, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.git("config", "core.ignorecase", ignoreCase)
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
		})
	}
}

// TestBitsOfTheIndex: what the user told git not to look at is looked at.
func TestBitsOfTheIndex(t *testing.T) {
	for name, set := range map[string]func(*world){
		"assume unchanged": func(w *world) { w.git("update-index", "--assume-unchanged", "a", "b") },
		"skip work tree":   func(w *world) { w.git("update-index", "--skip-worktree", "a", "b") },
		"fsmonitor valid": func(w *world) {
			monitor := filepath.Join(filepath.Dir(w.root), "monitor")
			w.must(os.WriteFile(monitor, []byte("#!/bin/sh\nprintf 'token\\0'\n"), 0o700))
			w.git("config", "core.fsmonitor", monitor)
			w.git("update-index", "--fsmonitor")
			w.git("status")
			w.git("update-index", "--fsmonitor-valid", "a", "b")
		},
		"sparse, wider later": func(w *world) { w.git("sparse-checkout", "set", "--no-cone", "/a") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("a", "1\n")
			w.write("b", "1\n")
			w.commit()
			set(w)
			w.take("0")
			w.write("a", "22\n")
			w.write("b", "22\n")
			w.take("1")
			for _, file := range []string{"a", "b"} {
				if got := w.git("show", Ref(w.l, "1")+":"+file); got != "22\n" {
					t.Errorf("%s: got %q, want 22", file, got)
				}
			}
			w.restore("0")
			if w.read("a") != "1\n" {
				t.Errorf("got %q, want 1", w.read("a"))
			}
		})
	}
}

// TestSparseBitsChange: the files on disk are what counts, and the index for those that never were there.
func TestSparseBitsChange(t *testing.T) {
	for name, c := range map[string]struct {
		before, work []string
		was, is      string // of dir/c and other/d
	}{
		"narrower": {[]string{"disable"}, []string{"set", "--cone", "dir"}, "1 1", "1 2"},
		"wider":    {[]string{"set", "--cone", "dir"}, []string{"disable"}, "1 1", "1 2"},
		"another":  {[]string{"set", "--cone", "--sparse-index", "dir"}, []string{"set", "--cone", "other"}, "1 1", "- 2"},
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

func (w *world) keepsModes() {
	w.Helper()
	modes := map[string]os.FileMode{"private": 0o600, "private program": 0o700, "for the group": 0o640, "usual": 0o644, "program": 0o755}
	for name, mode := range modes {
		w.write("changed/"+name, "1\n")
		w.write("removed/"+name, "1\n")
		w.chmod("changed/"+name, mode)
		w.chmod("removed/"+name, mode)
	}
	w.take("0")
	for name := range modes {
		w.write("changed/"+name, "2\n")
	}
	w.remove("removed")
	w.write("of the agent/key", "secret\n")
	back := w.restore("0").Before.Name
	for name, mode := range modes {
		for _, how := range []string{"changed/", "removed/"} {
			if info, err := os.Stat(filepath.Join(w.root, how+name)); err != nil || info.Mode().Perm() != mode {
				w.Errorf("%s%s: got %v, %v, want %o", how, name, info.Mode(), err, mode)
			}
		}
	}
	w.restore(back)
	for name, want := range map[string]os.FileMode{"of the agent/key": 0o600, "of the agent": os.ModeDir | 0o700} {
		if info, err := os.Stat(filepath.Join(w.root, name)); err != nil || info.Mode() != want {
			w.Errorf("%s: got %v, %v, want %v", name, info, err, want)
		}
	}
}

// TestKilledRestore: it leaves nothing in the work tree but files of before and after, and the next restore finishes.
func TestKilledRestore(t *testing.T) {
	const root, folder, id = "CHECKPOINT_TEST_ROOT", "CHECKPOINT_TEST_FOLDER", "CHECKPOINT_TEST_ID"
	if workspace := os.Getenv(root); workspace != "" {
		l := loop.State{ID: os.Getenv(id)}
		l.Workspace = workspace
		_, err := Places{Folder: os.Getenv(folder), Env: os.Environ()}.Restore(context.Background(), l, "0", false)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, elsewhere := range []bool{false, true} {
		t.Run(fmt.Sprintf("objects elsewhere %v", elsewhere), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			leaves := "" // nothing
			if elsewhere {
				w.objectsElsewhere()
				leaves = "d/" + temporary + w.l.ShortID()
			}
			w.killRestore(leaves, root, folder, id)
		})
	}
}

func (w *world) killRestore(leaves, root, folder, id string) {
	w.Helper()
	const files = 60
	for i := range files {
		w.write(fmt.Sprintf("d/f%d", i), "before\n")
	}
	w.commit()
	w.take("0")
	start := w.bytesOf()
	for i := range files {
		w.write(fmt.Sprintf("d/f%d", i), strings.Repeat("after\n", 20000))
	}
	w.take("1")
	user := w.user()
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilledRestore$")
	cmd.Env = append(slices.Clone(w.p.Env), root+"="+w.root, folder+"="+w.p.Folder, id+"="+w.l.ShortID())
	w.must(cmd.Start())
	begun := func() bool {
		restored := 0
		for i := range files {
			if w.read(fmt.Sprintf("d/f%d", i)) == "before\n" {
				restored++
			}
		}
		return restored > 0
	}
	for end := time.Now().Add(time.Minute); !begun() && time.Now().Before(end); {
		runtime.Gosched()
	}
	w.must(cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	for name, content := range w.user() {
		was, ok := user[name]
		if name == leaves {
			continue // the next restore removes it
		}
		if !ok || content != was && (!strings.HasSuffix(content, "before\n") || len(content) > 30) {
			w.Errorf("%s is %.60q", name, content)
		}
	}
	w.restore("0")
	for name, content := range w.bytesOf() {
		if start[name] != content {
			w.Errorf("%s is %.60q", name, content)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(w.root, ".git", "objects", "tmp_cursor*")); len(left) > 0 {
		w.Errorf("left: %v", left)
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

// TestNoFileIsEverPartly: neither is it missing for a moment, also where it cannot be moved from the repository.
func TestNoFileIsEverPartly(t *testing.T) {
	w := newWorld(t)
	w.objectsElsewhere()
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
		select {
		case err := <-done:
			w.must(err)
			if wrong != "" || w.read("dir/a") != big {
				t.Errorf("during the restore it was %s; restored: %v", wrong, w.read("dir/a") == big)
			}
			return
		default:
		}
	}
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
