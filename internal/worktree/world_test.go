package worktree

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// world is a folder with a repository that has one commit of one file.
type world struct {
	t   *testing.T
	dir string
	env []string
}

func newWorld(t *testing.T) world {
	w := emptyWorld(t)
	w.must(firstCommit())
	w.must(os.CopyFS(w.dir, os.DirFS(template)))
	return w
}

// template is the repository that newWorld copies, which is faster than running git for each.
var template string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if template, err = os.MkdirTemp("", "cursor-ralph-worktree-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(template)
	return m.Run()
}

var firstCommit = sync.OnceValue(func() error {
	w := world{dir: template, env: append(os.Environ(), "HOME="+template)}
	err := errors.Join(os.WriteFile(w.path("file"), []byte("one\n"), 0o666), os.WriteFile(w.path(".gitignore"), []byte("ignored*\n"), 0o666))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "x"}} {
		_, failed := w.try(args...)
		err = errors.Join(err, failed)
	}
	return err
})

// emptyWorld has no repository.
func emptyWorld(t *testing.T) world {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	w := world{t: t, dir: filepath.Join(dir, "work"), env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home")}}
	w.must(err)
	w.must(os.MkdirAll(w.dir, 0o777))
	w.must(os.Mkdir(filepath.Join(dir, "home"), 0o777))
	if root := os.Getenv("SystemRoot"); root != "" {
		w.env = append(w.env, "SystemRoot="+root)
	}
	return w
}

func (w world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// below is the world in one of its folders.
func (w world) below(name string) world {
	w.dir = w.path(name)
	return w
}

func (w world) write(name, content string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(w.path(name)), 0o777))
	w.must(os.WriteFile(w.path(name), []byte(content), 0o666))
}

func (w world) commit() {
	w.t.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", "x")
}

// git runs git as its user does.
func (w world) git(args ...string) string {
	w.t.Helper()
	out, err := w.try(args...)
	if err != nil {
		w.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(out)
}

func (w world) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	cmd.Env = append(w.env[:len(w.env):len(w.env)], "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w world) look(edited ...string) loop.Tree {
	w.t.Helper()
	tree, err := viewer(w.t, w.env).Tree(w.t.Context(), w.dir, edited)
	if err != nil {
		w.t.Fatal(err)
	}
	if tree.Root != "" && tree.Print == "" {
		w.t.Fatalf("got no print in %+v", tree)
	}
	return tree
}

// viewer looks with an environment, from a private folder of the test.
func viewer(t *testing.T, env []string) Viewer {
	return Viewer{Folder: filepath.Join(t.TempDir(), "looks"), Env: env}
}

func (w world) viewer() Viewer { return viewer(w.t, w.env) }
