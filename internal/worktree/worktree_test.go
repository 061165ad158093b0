package worktree

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// What changes the print and what does not: progress is judged by it.
func TestPrint(t *testing.T) {
	none := func(world) {}
	remove := func(name string) func(world) {
		return func(w world) { w.must(os.RemoveAll(w.path(name))) }
	}
	write := func(name, content string) func(world) {
		return func(w world) { w.write(name, content) }
	}
	git := func(args ...string) func(world) {
		return func(w world) { w.git(args...) }
	}
	touch := func(name string) func(world) {
		return func(w world) { w.must(os.Chtimes(w.path(name), time.Time{}, time.Now().Add(time.Hour))) }
	}
	in := func(folder string, do func(world)) func(world) {
		return func(w world) { do(w.below(folder)) }
	}
	submodule := func(w world) {
		w.below("lib").must(os.Mkdir(w.path("lib"), 0o777))
		w.below("lib").git("init", "-q")
		w.write("lib/a", "a")
		w.below("lib").commit()
		w.git("-c", "advice.addEmbeddedRepo=false", "add", "lib")
		w.commit()
	}
	nested := func(w world) {
		submodule(w)
		w.git("rm", "-q", "--cached", "lib")
		w.git("commit", "-q", "-m", "lib is nobody's")
	}
	for _, tt := range short.First([]struct {
		name           string
		before, change func(world)
		edited         []string // in both looks
		same           bool
	}{
		{"nothing happens", none, none, nil, true},
		{"a clean file is touched", none, touch("file"), nil, true},
		{"a changed file is touched", write("file", "two\n"), touch("file"), nil, false},
		{"a file is changed", none, write("file", "two\n"), nil, false},
		{"a changed file is staged", write("file", "two\n"), git("add", "-A"), nil, true},
		{"a new file is staged", write("new", "new"), git("add", "-A"), nil, true},
		{"a deleted file is staged", remove("file"), git("add", "-A"), nil, true},
		{"a renamed file is staged", func(w world) { w.must(os.Rename(w.path("file"), w.path("new"))) }, git("add", "-A"), nil, true},
		{"a file is renamed", none, git("mv", "file", "new"), nil, false},
		{"a file is deleted", none, remove("file"), nil, false},
		{"a file is a folder now", none, func(w world) { remove("file")(w); w.write("file/below", "x") }, nil, false},
		{"a folder is a file now", func(w world) { w.write("d/f", "x"); w.commit() }, func(w world) { remove("d")(w); w.write("d", "x") }, nil, false},
		{"a change is committed", write("file", "two\n"), world.commit, nil, false},
		{"a commit is amended", none, git("commit", "-q", "--amend", "-m", "other"), nil, false},
		{"another branch, the same commit", none, git("switch", "-q", "-c", "other"), nil, true},
		{"the head is detached", none, git("switch", "-q", "--detach"), nil, true},
		{"there was no commit", git("update-ref", "-d", "HEAD"), world.commit, nil, false},
		{"a new file", none, write("new", ""), nil, false},
		{"a new file in a new folder is changed", write("a/b/new", "1"), write("a/b/new", "2"), nil, false},
		{"an empty folder", none, func(w world) { w.must(os.Mkdir(w.path("empty"), 0o777)) }, nil, true},
		{"a new file comes and goes", none, func(w world) { w.write("new", "x"); remove("new")(w) }, []string{"new"}, true},
		{"an ignored file that nobody named", write("ignored", "1"), write("ignored", "2"), nil, true},
		{"an ignored file that was named", write("ignored", "1"), write("ignored", "2"), []string{"ignored"}, false},
		{"a file elsewhere", none, write("../elsewhere", "1"), []string{"../elsewhere"}, false},
		{"a file elsewhere is changed", write("../elsewhere", "1"), write("../elsewhere", "2"), []string{"../elsewhere"}, false},
		{"a file in .git that was named", none, write(".git/x", "1"), []string{".git/x"}, false},
		{"binary content", write("bin", "a\x00b"), write("bin", "a\x00c"), nil, false},
		{"a submodule's new commit", submodule, in("lib", world.commit), nil, false},
		{"a submodule's second new commit", func(w world) { submodule(w); w.below("lib").commit() }, in("lib", world.commit), nil, false},
		{"a submodule's references are packed", func(w world) { submodule(w); w.below("lib").commit() },
			in("lib", func(w world) { w.git("checkout", "-q", "--detach") }), nil, true},
		{"a submodule's work tree alone", submodule, write("lib/a", "b"), nil, true},
		{"a submodule's file that was named", submodule, write("lib/a", "b"), []string{"lib/a"}, false},
		{"a commit in a repository within", nested, in("lib", world.commit), nil, false},
		{"a commit in a repository within, packed", func(w world) { nested(w); w.below("lib").git("pack-refs", "--all") },
			in("lib", func(w world) { w.commit(); w.git("pack-refs", "--all") }), nil, false},
	}, 12) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.before(w)
			before := w.look(tt.edited...)
			tt.change(w)
			after := w.look(tt.edited...)
			if (before.Print == after.Print) != tt.same {
				t.Errorf("got the same print: %v, want %v\nbefore %+v\nafter  %+v", !tt.same, tt.same, before, after)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	w := newWorld(t)
	w.write("gone", "x")
	w.write("staged", "x")
	w.write("old", "x")
	w.commit()
	w.must(os.Remove(w.path("gone")))
	w.write("staged", "y")
	w.git("add", "staged")
	w.git("mv", "old", "renamed")
	w.write("dir/new", "x")
	w.write("ignored", "x")
	w.write("ignored too", "x")
	w.write("../elsewhere", "x")
	odd := []string{"line\nbreak", "quote\"'\\", "ümläut", " lead", "-option", ":(glob)x", "trail "}
	for _, name := range odd {
		w.write(name, "odd")
	}
	tree := w.below("dir").look("../ignored", "../file", w.path("../elsewhere"), "none", "none", "../file/x")
	want := append(odd, "gone", "staged", "old", "renamed", "dir/new", "ignored", "file", "../elsewhere", "dir/none", "file/x")
	for i, name := range want {
		want[i] = w.path(name)
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(tree.Files)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for _, name := range []string{"gone", "old", "dir/none", "file/x"} {
		if got := tree.Files[w.path(name)]; got != deleted {
			t.Errorf("%s: got %q, want %q", name, got, deleted)
		}
	}
	if tree.Root != w.dir || tree.Head != w.git("rev-parse", "HEAD") {
		t.Errorf("got root %q and head %q", tree.Root, tree.Head)
	}
}

// Where git's work tree is, and what its head is.
func TestRoots(t *testing.T) {
	w := newWorld(t)
	w.write("a/b/c", "x")
	w.git("worktree", "add", "-q", "../other")
	w.must(os.MkdirAll(w.path("a/empty/.git"), 0o777)) // nobody's repository
	module := newWorld(t)
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", module.dir, "lib")
	separate := emptyWorld(t)
	separate.git("init", "-q", "--separate-git-dir", "../store")
	head := w.git("rev-parse", "HEAD")
	for _, tt := range []struct{ name, dir, root, head string }{
		{"the root", w.dir, w.dir, head},
		{"a folder in it", w.path("a/b"), w.dir, head},
		{"a folder that is not there", w.path("a/none/x"), w.dir, head},
		{"an empty .git", w.path("a/empty"), w.dir, head},
		{"another work tree", w.path("../other"), w.path("../other"), head},
		{"a submodule", w.path("lib"), w.path("lib"), module.git("rev-parse", "HEAD")},
		{"a store elsewhere, no commit yet", separate.dir, separate.dir, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree, err := viewer(t, w.env).Tree(t.Context(), tt.dir, nil)
			if tree.Root != tt.root || tree.Head != tt.head || err != nil || tree.Print == "" {
				t.Errorf("got %+v, %v, want the root %q and the head %q", tree, err, tt.root, tt.head)
			}
		})
	}
}

// Git is not started without a repository, and is searched only on the given PATH.
func TestWithoutGit(t *testing.T) {
	for _, path := range []string{"", ".", "bin", t.TempDir()} {
		w := newWorld(t)
		t.Chdir(w.dir)
		w.write("file", "two")
		w.write("git", "#!/bin/sh\ntouch ran\n")
		w.write("bin/git", "#!/bin/sh\ntouch ran\n")
		w.must(os.Chmod(w.path("git"), 0o777))
		w.must(os.Chmod(w.path("bin/git"), 0o777))
		tree, err := viewer(t, []string{"PATH=" + path}).Tree(t.Context(), w.dir, []string{"file"})
		if err == nil || !strings.Contains(err.Error(), "no git on PATH") {
			t.Errorf("PATH %q: got %v, want an error", path, err)
		}
		if tree.Root != "" || tree.Print != "" || len(tree.Files) != 1 {
			t.Errorf("PATH %q: got %+v, want the edited file alone", path, tree)
		}
		if _, err := os.Stat(w.path("ran")); err == nil {
			t.Errorf("PATH %q: the workspace's git ran", path)
		}
	}
	w := emptyWorld(t)
	if _, err := viewer(t, nil).Tree(t.Context(), w.dir, nil); err != nil {
		t.Errorf("no repository: got %v, want no error", err)
	}
}

// TestAfter: git is asked once what a turn changed, also where it committed.
func TestAfter(t *testing.T) {
	w := newWorld(t)
	first := w.git("rev-parse", "HEAD")
	w.write("file", "two")
	w.write("new\nfile", "two")
	w.commit()
	second := w.git("rev-parse", "HEAD")
	w.write("file", "three")
	w.git("commit", "-q", "-a", "--amend", "-m", "amended")
	amended := w.git("rev-parse", "HEAD")
	w.git("switch", "-q", "--orphan", "unrelated")
	w.write("other", "x")
	w.commit()
	unrelated := w.git("rev-parse", "HEAD")
	both := []string{"file", "new\nfile"}
	for _, tt := range []struct {
		name, before, head string
		committed          []string
	}{
		{"a commit more", first, second, both},
		{"amended", second, amended, []string{"file"}},
		{"gone back", second, first, both},
		{"unrelated", first, unrelated, []string{".gitignore", "file", "other"}},
		{"the same", first, first, nil},
		{"the commit before is gone", strings.Repeat("0", 39) + "1", first, nil},
		{"an option", "--output=ran", first, nil},
		{"a name", "main", first, nil},
		{"a reference", "ref: refs/heads/main", first, nil},
		{"in capitals", strings.ToUpper(first), second, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.git("reset", "-q", "--hard", tt.head)
			w.git("clean", "-q", "-d", "-f")
			w.write("untracked", "x")
			var want []string
			for _, name := range tt.committed {
				want = append(want, w.path(name))
			}
			l := loop.State{Workspace: w.dir}
			l.Tree = loop.Tree{Root: w.dir, Head: tt.before, Print: "1"}
			now, got, err := w.viewer().After(t.Context(), l, loop.Turn{})
			w.must(err)
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if again := w.look(); again.Print != now.Print || now.Head != tt.head || !maps.Equal(again.Files, now.Files) {
				t.Errorf("got %+v, and then %+v", now, again)
			}
		})
	}
	if _, err := os.Stat(w.path("ran")); err == nil {
		t.Error("an option was taken for one")
	}
}

func TestParseStatus(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef01234567"
	const head = "# branch.oid " + id + "\x00"
	const modes = "N... 100644 100644 100644 "
	for _, tt := range []struct {
		name, out string
		want      []string
		staged    []string
		fails     bool
	}{
		{name: "clean", out: head + "# branch.head main\x00# stash 1\x00"},
		{name: "changed", out: head + "1 .M " + modes + id + " " + id + " a b\x00", want: []string{"a b"}},
		{name: "staged", out: head + "1 M. " + modes + id + " " + id + " a\x00" + "1 MM " + modes + id + " " + id + " b\x00", staged: []string{"a"}, want: []string{"b"}},
		{name: "renamed, for which we do not ask", out: head + "2 R. " + modes + id + " " + id + " R100 new\x00old\x00? x\x00", fails: true},
		{name: "in conflict", out: head + "u UU " + modes + "100644 " + id + " " + id + " " + id + " a b\x00", want: []string{"a b"}},
		{name: "untracked, ignored", out: head + "? a\nb\x00! c d/\x00", want: []string{"a\nb", "c d/"}},
		{name: "before the first commit", out: "# branch.oid (initial)\x00? a\x00", want: []string{"a"}},
		{name: "nothing", out: "", fails: true},
		{name: "no commit", out: "? a\x00", fails: true},
		{name: "cut off", out: head + "? a", fails: true},
		{name: "an entry cut off", out: head + "1 .M " + modes + id + "\x00", fails: true},
		{name: "an unknown entry", out: head + "9 a\x00", fails: true},
		{name: "rubbish", out: "hello\x00", fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, staged, err := parseStatus(tt.out)
			if tt.fails != (err != nil) || !tt.fails && !(slices.Equal(got, tt.want) && slices.Equal(staged, tt.staged)) {
				t.Errorf("got %q and %q, %v, want %q and %q, an error: %v", got, staged, err, tt.want, tt.staged, tt.fails)
			}
		})
	}
}
