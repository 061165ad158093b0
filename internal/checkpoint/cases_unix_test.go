//go:build unix

package checkpoint

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// restore restores a checkpoint, and wants nothing but that.
func (w *world) restore(n Name) Restored {
	w.Helper()
	done, err := w.p.Restore(context.Background(), w.l, n, false)
	w.must(err)
	return done
}

// bytesOf are the files of the work tree. Of their permissions git knows one bit.
func (w *world) bytesOf() map[string]string {
	w.Helper()
	files := map[string]string{}
	for name, content := range w.user() {
		if !strings.HasPrefix(name, ".git/") {
			if strings.HasPrefix(content, "-rw") {
				content = content[3:4] + content[len("-rwxrwxrwx"):]
			}
			files[name] = content
		}
	}
	return files
}

// round makes a checkpoint, lets the agent work, makes another and goes back and forth.
// The user's index, HEAD and references stay throughout, and each time all bytes return.
func (w *world) round(work func()) {
	w.Helper()
	before := w.user()
	w.take("0")
	w.same(before)
	start := w.bytesOf()
	work()
	after := w.user()
	w.take("1")
	w.same(after)
	end := w.bytesOf()
	for _, step := range []struct {
		n    Name
		want map[string]string
	}{{"0", start}, {"1", end}, {"0", start}} {
		done := w.restore(step.n)
		if len(done.Kept) > 0 {
			w.Errorf("kept %v", done.Kept)
		}
		got := w.bytesOf()
		for name, content := range step.want {
			if got[name] != content {
				w.Errorf("restore %s: %s is %.60q, want %.60q", step.n, name, got[name], content)
			}
		}
		for name := range got {
			if _, ok := step.want[name]; !ok {
				w.Errorf("restore %s: %s is new", step.n, name)
			}
		}
	}
	for name, content := range w.user() {
		if strings.HasPrefix(name, ".git/") && after[name] != content {
			w.Errorf("%s changed", name)
		}
	}
}

func (w *world) chmod(name string, mode os.FileMode) {
	w.Helper()
	w.must(os.Chmod(filepath.Join(w.root, name), mode))
}

func (w *world) link(to, name string) {
	w.Helper()
	w.must(os.Symlink(to, filepath.Join(w.root, name)))
}

func (w *world) remove(name string) {
	w.Helper()
	w.must(os.RemoveAll(filepath.Join(w.root, name)))
}

// TestRound: whatever the repository is like.
func TestRound(t *testing.T) {
	edit := func(w *world) {
		w.write("a", "edited\n")
		w.write("new/file", "new\n")
		w.remove("b")
	}
	start := func(w *world) {
		w.write("a", "1\n")
		w.write("b", "1\n")
		w.write("dir/c", "1\n")
		w.commit()
	}
	for name, c := range map[string]struct{ prepare, work func(*world) }{
		"plain":            {start, edit},
		"empty repository": {func(w *world) { w.write("b", "untracked\n") }, edit},
		"nothing at all":   {func(*world) {}, func(w *world) { w.write("a", "1") }},
		"agent commits":    {start, func(w *world) { edit(w); w.commit() }},
		"staged and intent to add": {func(w *world) {
			start(w)
			w.write("staged", "1\n")
			w.write("intended", "1\n")
			w.git("add", "staged")
			w.git("add", "-N", "intended")
			w.write("staged", "2\n")
		}, func(w *world) { edit(w); w.write("intended", "2\n"); w.remove("staged") }},
		"links and modes": {func(w *world) {
			start(w)
			w.link("a", "link")
			w.link("/etc", "away")
			w.write("run", "#!/bin/sh\n")
			w.chmod("run", 0o755)
			w.write("private", "x")
			w.chmod("private", 0o600)
		}, func(w *world) {
			w.remove("link")
			w.link("b", "link")
			w.chmod("run", 0o644)
			w.write("private", "y")
			w.remove("away")
			w.write("away/file", "a folder now\n")
		}},
		"file and folder": {start, func(w *world) {
			w.remove("a")
			w.write("a/deep/file", "x")
			w.remove("dir")
			w.write("dir", "a file")
		}},
		"folder becomes link": {start, func(w *world) {
			w.remove("dir")
			w.link("/etc", "dir")
		}},
		"folder becomes link to other files of the same names": {func(w *world) {
			start(w)
			w.write("other/c", "2\n")
			w.write("untracked/c", "3\n")
		}, func(w *world) {
			w.remove("dir")
			w.link("other", "dir")
			w.remove("untracked")
			w.link("other", "untracked")
		}},
		"folder with rules becomes link": {func(w *world) {
			start(w)
			w.write("dir/.gitignore", "x\n")
			w.write("venv/.gitignore", "*\n")
			w.write("venv/x", "x\n")
			w.write(".gitignore/x", "x\n")
			w.git("add", "-f", "dir/.gitignore")
		}, func(w *world) {
			w.remove("dir")
			w.link("venv", "dir")
			w.write(".gitignore/y", "x\n")
		}},
		"folder moves and a link takes its place": {start, func(w *world) {
			w.must(os.Rename(filepath.Join(w.root, "dir"), filepath.Join(w.root, "moved")))
			w.link("moved", "dir")
		}},
		"line ends": {func(w *world) {
			w.git("config", "core.autocrlf", "true")
			w.write("crlf", "1\r\n2\r\n")
			w.write("mixed", "1\r\n2\n")
			w.write("lf", "1\n")
			w.write(".gitattributes", "*.txt text eol=crlf\nid ident\n")
			w.write("some.txt", "1\n2\r\n")
			w.write("id", "$Id$\n")
			w.commit()
		}, func(w *world) {
			w.write("crlf", "1\r\n3\r\n")
			w.write("mixed", "1\n2\r\n")
			w.write("some.txt", "2\r\n1\n")
			w.write("id", "$Id: me$\n")
		}},
		"filters": {func(w *world) {
			w.git("config", "filter.up.clean", "tr a-z A-Z")
			w.git("config", "filter.up.smudge", "tr A-Z a-z")
			w.write(".gitattributes", "*.up filter=up\n")
			w.write("x.up", "word\n")
			w.write("y.up", "other\n")
			w.commit()
		}, func(w *world) { w.write("x.up", "another\n") }},
		"merge in progress": {func(w *world) {
			start(w)
			w.git("checkout", "-q", "-b", "other")
			w.write("a", "other\n")
			w.commit()
			w.git("checkout", "-q", "main")
			w.write("a", "mine\n")
			w.commit()
			_ = exec.Command("git", "-C", w.root, "-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "other").Run()
			if !strings.Contains(w.git("status"), "Unmerged") {
				w.Fatal("there is no conflict")
			}
		}, edit},
		"rebase in progress": {func(w *world) {
			start(w)
			w.git("checkout", "-q", "-b", "other")
			w.write("a", "other\n")
			w.commit()
			w.git("checkout", "-q", "main")
			w.write("a", "mine\n")
			w.commit()
			_ = exec.Command("git", "-C", w.root, "-c", "user.name=a", "-c", "user.email=a@b", "rebase", "-q", "other").Run()
			if !strings.Contains(w.git("status"), "rebas") {
				w.Fatal("there is no rebase")
			}
		}, edit},
		"split index": {func(w *world) {
			w.git("config", "core.splitIndex", "true")
			start(w)
			w.git("update-index", "--split-index")
		}, edit},
		"untracked cache and many indexes": {func(w *world) {
			w.git("config", "core.untrackedCache", "true")
			w.git("config", "feature.manyFiles", "true")
			start(w)
			w.git("status")
		}, edit},
		"sha256": {func(w *world) {
			w.remove(".git")
			w.git("init", "-q", "--object-format=sha256")
			start(w)
		}, edit},
		"sparse checkout": {func(w *world) {
			start(w)
			w.git("sparse-checkout", "set", "--cone", "--sparse-index", "other")
		}, edit},
		"ignored stays": {func(w *world) {
			start(w)
			w.write(".gitignore", "*.log\n")
			w.write("x.log", "log\n")
			w.write("tracked.log", "1\n")
			w.git("add", "-f", "tracked.log")
		}, func(w *world) { edit(w); w.write("tracked.log", "2\n") }},
		"odd names": {start, func(w *world) {
			w.write("with space", "x")
			w.write("-n", "x")
			w.write(":(glob)**", "x")
			w.write("tab\tand\nnewline\x1b[31m", "x")
			w.write("\xff\xfe", "x")
			w.write("ümläut", "x")
		}},
		"submodule and nested repository": {func(w *world) {
			start(w)
			sub := filepath.Join(filepath.Dir(w.root), "sub")
			w.must(os.MkdirAll(sub, 0o700))
			w.gitIn(sub, "init", "-q")
			w.must(os.WriteFile(filepath.Join(sub, "s"), []byte("s\n"), 0o600))
			w.gitIn(sub, "add", "s")
			w.gitIn(sub, "commit", "-q", "-m", "x")
			w.git("submodule", "add", "-q", sub, "sub")
			w.commit()
			w.write("nested/file", "1\n")
			w.gitIn(filepath.Join(w.root, "nested"), "init", "-q")
		}, edit},
		"linked work tree": {func(w *world) {
			start(w)
			w.linked()
		}, edit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.prepare(w)
			w.round(func() { c.work(w) })
		})
	}
}

// TestLeftOut: what cannot be read or is too large keeps nothing else from its checkpoint, and no restore touches it.
func TestLeftOut(t *testing.T) {
	w := newWorld(t)
	w.write("big", "small yet\n")
	w.write("a", "1\n")
	w.commit()
	w.take("0")
	w.must(os.Truncate(filepath.Join(w.root, "big"), largest+1))
	w.write("a", "2\n")
	w.must(exec.Command("mkfifo", filepath.Join(w.root, "pipe")).Run())
	m := w.take("1")
	if m.Why != "not in the checkpoint: big (larger than 100 MiB)" {
		t.Errorf("got %q", m.Why)
	}
	done := w.restore("0")
	if w.read("a") != "1\n" || len(done.Kept) > 0 {
		t.Errorf("got %q and %v", w.read("a"), done.Kept)
	}
	if info, err := os.Stat(filepath.Join(w.root, "big")); err != nil || info.Size() != largest+1 {
		t.Errorf("got %v, %v", info, err)
	}
}

// TestHostileTree: a reference that somebody made is no checkpoint, and a tree with such names is not restored.
func TestHostileTree(t *testing.T) {
	w := newWorld(t)
	w.write("a", "1\n")
	w.commit()
	w.take("0")
	cmd := exec.Command("git", "hash-object", "-w", "--stdin")
	cmd.Dir, cmd.Stdin = w.root, strings.NewReader("evil\n")
	out, err := cmd.Output()
	w.must(err)
	blob := strings.TrimSpace(string(out))
	tree := func(entries string) string {
		cmd := exec.Command("git", "mktree")
		cmd.Dir, cmd.Stdin = w.root, strings.NewReader(entries)
		out, err := cmd.Output()
		w.must(err)
		return strings.TrimSpace(string(out))
	}
	hooks := tree("100755 blob " + blob + "\tpre-commit\n")
	root := tree("040000 tree " + tree("040000 tree "+hooks+"\thooks\n") + "\t.git\n" +
		"040000 tree " + tree("040000 tree "+hooks+"\thooks\n") + "\t.GIT \n" +
		"040000 tree " + tree("100644 blob "+blob+"\toutside\n") + "\t..\n" +
		"100644 blob " + blob + "\tgood\n")
	commit := strings.TrimSpace(w.git("commit-tree", root, "-m", "x"))
	w.git("update-ref", Ref(w.l, "1"), commit)
	if _, err := w.p.Restore(context.Background(), w.l, "1", false); err == nil {
		t.Error("somebody's reference is a checkpoint")
	}
	made := Checkpoint{Commit: commit, tree: root}
	w.must(os.WriteFile(filepath.Join(w.p.dir(w.l), keptFolder, "1"), made.kept(), 0o600))
	if _, err := w.p.Restore(context.Background(), w.l, "1", false); err == nil {
		t.Error("such a tree was restored")
	}
	for _, path := range []string{".git/hooks/pre-commit", ".GIT ", "../outside", "good"} {
		if _, err := os.Lstat(filepath.Join(w.root, path)); err == nil {
			t.Errorf("%s is there", path)
		}
	}
}

// TestWhatIsInTheWay: a restore replaces an empty folder, which git does not know, and nothing else.
func TestWhatIsInTheWay(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"empty", "full", "pipe", "big"} {
		w.write(name, "1\n")
	}
	w.take("0")
	for _, name := range []string{"empty", "full", "pipe", "big"} {
		w.remove(name)
	}
	w.take("1")
	w.write(".git/info/exclude", "x\n")
	w.must(os.Mkdir(filepath.Join(w.root, "empty"), 0o700))
	w.write("full/x", "ignored\n")
	w.must(exec.Command("mkfifo", filepath.Join(w.root, "pipe")).Run())
	w.write("big", "")
	w.must(os.Truncate(filepath.Join(w.root, "big"), largest+1))
	done := w.restore("0")
	want := []Kept{{"big", "larger than 100 MiB"}, {"pipe", "something other than a file is in its place"}, {"full", "a non-empty folder is in its place"}}
	if !slices.Equal(done.Kept, want) {
		t.Errorf("kept %v, want %v", done.Kept, want)
	}
	if w.read("empty") != "1\n" || w.read("full/x") != "ignored\n" {
		t.Errorf("got %q and %q", w.read("empty"), w.read("full/x"))
	}
}

// TestARestoreLosesNothing: a file that changed after the checkpoint of what was there stays as it is.
func TestARestoreLosesNothing(t *testing.T) {
	w := newWorld(t)
	w.write("a", "1\n")
	w.commit()
	w.take("0")
	w.write("a", "2\n")
	r, err := w.p.open(w.l)
	w.must(err)
	now, err := r.now(context.Background())
	w.must(err)
	own, changes, err := r.compare(context.Background(), now.tree, r.list()[0].tree)
	w.must(err)
	f, err := r.openFiles()
	w.must(err)
	w.write("a", "3\n")
	done, err := r.apply(context.Background(), own, f, Restored{Changes: changes})
	w.must(err)
	if w.read("a") != "3\n" || len(done.Kept) != 1 || len(done.Changes) != 0 {
		t.Errorf("got %q and %v", w.read("a"), done)
	}
}

// TestRemove: what only a checkpoint needed can be collected, and another loop keeps its own.
func TestRemove(t *testing.T) {
	w := newWorld(t)
	w.write("a", "only here\n")
	w.take("0")
	other := w.l
	other.ID = "kzzzz"
	_, err := w.p.Take(context.Background(), other, "0")
	w.must(err)
	blob := strings.TrimSpace(w.git("rev-parse", Ref(w.l, "0")+":a"))
	w.must(w.p.Remove(context.Background(), w.l))
	if got := w.git("for-each-ref", "--format=%(refname)"); got != "refs/cursor-ralph/kzzzz/0\n" {
		t.Errorf("got %s", got)
	}
	w.must(w.p.Remove(context.Background(), other))
	w.git("gc", "-q", "--prune=now")
	if err := exec.Command("git", "-C", w.root, "cat-file", "-e", blob).Run(); err == nil {
		t.Error("the file is still there")
	}
	for _, workspace := range []string{"", "relative", "/nowhere", filepath.Dir(w.root)} {
		gone := w.l
		gone.Workspace = workspace
		w.must(w.p.Remove(context.Background(), gone))
	}
	if _, err := w.p.Take(context.Background(), loopIn(w, "/nowhere"), "0"); err == nil {
		t.Error("took a checkpoint of nothing")
	}
}

func (w *world) read(name string) string {
	w.Helper()
	data, err := os.ReadFile(filepath.Join(w.root, name))
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(data)
}

func loopIn(w *world, workspace string) loop.State {
	l := w.l
	l.Workspace = workspace
	return l
}
