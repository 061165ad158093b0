//go:build unix

package worktree

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/git"
	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// trap returns a program outside the repository that leaves a file when it runs.
func trap(w world) (program string, sprung func() bool) {
	program = w.path("../trap")
	w.must(sources.WriteProgram(program, []byte("#!/bin/sh\n: >'"+program+".ran'\n"), 0o777))
	return program, func() bool {
		_, err := os.Stat(program + ".ran")
		return err == nil
	}
}

// snapshot returns every file of .git with its content and time.
func snapshot(w world) map[string]string {
	w.t.Helper()
	files := map[string]string{}
	w.must(filepath.WalkDir(w.path(".git"), func(path string, d fs.DirEntry, err error) error {
		w.must(err)
		info, err := d.Info()
		w.must(err)
		content := info.ModTime().String() + " " + info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			w.must(err)
			content += " " + string(data)
		}
		files[path] = content
		return nil
	}))
	return files
}

// Git would refresh its index, whose file times are outdated. We must prevent that.
func TestNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	w.git("update-index", "--untracked-cache")
	w.write("new/file", "x")
	w.must(os.Chtimes(w.path("file"), time.Time{}, time.Now().Add(time.Hour)))
	before := snapshot(w)
	w.look("file", "ignored")
	if after := snapshot(w); !maps.Equal(before, after) {
		t.Error("Tree has written into the repository")
	}
	w.git("status")
	if after := snapshot(w); maps.Equal(before, after) {
		t.Error("git status writes nothing: this test shows nothing")
	}
}

// The user's environment variables for git have no effect.
func TestEnvironmentThatSteersGit(t *testing.T) {
	w := newWorld(t)
	other := newWorld(t)
	trap, sprung := trap(w)
	want := w.look()
	w.env = append(w.env, "GIT_DIR="+other.path(".git"), "GIT_WORK_TREE="+other.dir, "GIT_INDEX_FILE="+other.path("none"),
		"GIT_EXTERNAL_DIFF="+trap, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0="+trap,
		"GIT_CONFIG_PARAMETERS='core.fsmonitor="+trap+"'", "GIT_TRACE="+w.path("trace"), "GIT_TRACE2_EVENT="+w.path("trace"),
		"GIT_EXEC_PATH="+other.dir, "GIT_CEILING_DIRECTORIES="+w.dir, "GIT_LITERAL_PATHSPECS=0", "LC_ALL=de_DE.UTF-8")
	if got := w.look(); got.Print != want.Print || got.Root != w.dir {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, err := os.Stat(w.path("trace")); err == nil || sprung() {
		t.Error("the environment had its way")
	}
}

// A broken .git must not make git take the work tree itself for a repository.
func TestBareRepositoryAtTheRoot(t *testing.T) {
	w := emptyWorld(t)
	trap, sprung := trap(w)
	w.git("init", "-q", "--bare", ".")
	w.git("config", "--unset", "core.bare")
	w.git("config", "core.fsmonitor", trap)
	w.write(".git/HEAD", "broken")
	tree, err := viewer(t, w.env).Tree(t.Context(), w.dir, nil)
	if err == nil || tree.Root != "" || sprung() {
		t.Errorf("got %+v, %v, want an error", tree, err)
	}
}

// Pipes, links and other special files are never opened or followed.
func TestNoFiles(t *testing.T) {
	w := newWorld(t)
	w.must(syscall.Mkfifo(w.path("pipe"), 0o666)) // git does not list it
	w.must(os.Remove(w.path("file")))
	w.must(syscall.Mkfifo(w.path("file"), 0o666))
	w.write("../secret", "1")
	w.must(os.Symlink("../secret", w.path("link")))
	w.must(os.Symlink("nowhere", w.path("dangling")))
	w.must(os.Symlink("loop", w.path("loop")))
	w.must(os.Mkdir(w.path("empty"), 0o777))
	begin := time.Now()
	edited := []string{"pipe", "link", "loop", "empty", "loop/x", os.DevNull}
	one := w.look(edited...)
	if took := time.Since(begin); took > limit {
		t.Errorf("it took %v", took)
	}
	for name, want := range map[string]string{"pipe": "special", "file": "special", "link": "link ", "dangling": "link ",
		"loop": "link ", "empty": "folder ", "loop/x": "unreadable"} {
		if got := one.Files[w.path(name)]; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	w.write("../secret", "2")
	if two := w.look(edited...); two.Print != one.Print {
		t.Error("got another print: a link was followed")
	}
	w.must(os.Remove(w.path("link")))
	w.must(os.Symlink("elsewhere", w.path("link")))
	if three := w.look(edited...); three.Print == one.Print {
		t.Error("got the same print: where a link leads does not count")
	}
	if f, err := git.OpenFile(w.path("pipe")); err == nil {
		t.Errorf("got %v, want no pipe opened", f.Name())
	}
	if f, err := git.OpenFile(w.path("link")); err == nil {
		t.Errorf("got %v, want no link followed", f.Name())
	}
}
