package checkpoint

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// world is a repository with a loop.
type world struct {
	testing.TB
	root string
	home string
	p    Places
	l    loop.State
}

func newWorld(t testing.TB) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, root: filepath.Join(dir, "work"), home: filepath.Join(dir, "home")}
	w.must(os.MkdirAll(w.root, 0o700))
	w.must(os.MkdirAll(w.home, 0o700))
	env := append(os.Environ(), "HOME="+w.home, "XDG_CONFIG_HOME="+w.home, "USERPROFILE="+w.home, "GIT_CONFIG_NOSYSTEM=1")
	w.p = Places{Folder: filepath.Join(dir, "state", "checkpoints"), Copies: filepath.Join(dir, "state", "copies"), Env: env}
	w.l = loop.New()
	w.l.Prompt, w.l.Workspace, w.l.Checkpoints = "task", w.root, true
	w.l = w.l.In("chat", time.Now())
	w.git("init", "-q", "-b", "main")
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) gitIn(dir string, args ...string) string {
	w.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir, cmd.Env = dir, w.p.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (w *world) git(args ...string) string { w.Helper(); return w.gitIn(w.root, args...) }

func (w *world) write(name, content string) {
	w.Helper()
	path := filepath.Join(w.root, filepath.FromSlash(name))
	w.must(os.MkdirAll(filepath.Dir(path), 0o700))
	w.must(os.WriteFile(path, []byte(content), 0o600))
}

func (w *world) commit() {
	w.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "x")
}

func (w *world) take(n Name) Made {
	w.Helper()
	m, err := w.p.Take(context.Background(), w.l, n)
	w.must(err)
	return m
}

// tree lists what a checkpoint has.
func (w *world) tree(n Name) string {
	w.Helper()
	return strings.TrimSpace(w.git("ls-tree", "-r", "--format=%(objectmode) %(path)", Ref(w.l, n)))
}

// user is everything of the repository and the work tree that belongs to the user.
func (w *world) user() map[string]string {
	w.Helper()
	files := map[string]string{}
	w.must(filepath.WalkDir(w.root, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(w.root, path)
		switch slash := filepath.ToSlash(name); {
		case err != nil:
			return err
		case slash == ".git/objects" || slash == ".git/refs/cursor-ralph":
			return filepath.SkipDir
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			info, _ := d.Info()
			files[slash] = info.Mode().String() + string(data)
			return err
		case d.Type()&os.ModeSymlink != 0:
			to, err := os.Readlink(path)
			files[slash] = to
			return err
		}
		return nil
	}))
	return files
}

func (w *world) same(before map[string]string) {
	w.Helper()
	now := w.user()
	for name, content := range before {
		if now[name] != content {
			w.Errorf("%s changed", name)
		}
	}
	for name := range now {
		if _, ok := before[name]; !ok {
			w.Errorf("%s is new", name)
		}
	}
}

func TestTakeHasTheWorkTreeAndLeavesTheUsersAlone(t *testing.T) {
	w := newWorld(t)
	w.write(".gitignore", "ignored\n")
	w.write("a", "1\n")
	w.write("dir/b", "1\n")
	w.commit()
	w.write("a", "2\n")
	w.write("ignored", "x")
	w.write("new/c", "1\n")
	w.must(os.Remove(filepath.Join(w.root, "dir/b")))
	w.write("staged", "1\n")
	w.git("add", "staged")
	before := w.user()
	w.take("0")
	w.same(before)
	if got, want := w.tree("0"), "100644 .gitignore\n100644 a\n100644 new/c\n100644 staged"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	w.write("new/c", "2\n")
	w.write("new/d", "1\n")
	w.write(".gitignore", "ignored\nnew\n")
	w.must(os.Remove(filepath.Join(w.root, "a")))
	w.write("a/b", "a folder now\n")
	w.take("1")
	if got, want := w.tree("1"), "100644 .gitignore\n100644 a/b\n100644 new/c\n100644 staged"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// TestUnused: what no record leads to is found by the folder of its index.
func TestUnused(t *testing.T) {
	w := newWorld(t)
	w.write("a", "1\n")
	w.take("0")
	if got := w.p.Unused(time.Now().Add(-time.Hour)); len(got) != 0 {
		t.Errorf("got %d, want none yet", len(got))
	}
	got := w.p.Unused(time.Now().Add(time.Hour))
	if len(got) != 1 || got[0].ID != w.l.ShortID() || got[0].Workspace != w.root {
		t.Fatalf("got %+v", got)
	}
	w.must(w.p.Remove(context.Background(), got[0]))
	if left := w.git("for-each-ref"); left != "" || len(w.p.Unused(time.Now().Add(time.Hour))) != 0 {
		t.Errorf("left: %s", left)
	}
}

// TestDamagedIndex: it costs one checkpoint, and not all that follow.
func TestDamagedIndex(t *testing.T) {
	w := newWorld(t)
	w.write("a", "1\n")
	w.commit()
	w.take("0")
	w.must(os.WriteFile(filepath.Join(w.p.dir(w.l), "index"), []byte("DIRC damaged"), 0o600))
	w.write("a", "2\n")
	if _, err := w.p.Take(context.Background(), w.l, "1"); err == nil {
		t.Error("got a checkpoint of a damaged index")
	}
	w.take("2")
	if got := w.git("show", Ref(w.l, "2")+":a"); got != "2\n" {
		t.Errorf("got %q", got)
	}
}
