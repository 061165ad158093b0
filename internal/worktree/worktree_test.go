package worktree

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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
		{"a changed file is touched", write("file", "two\n"), touch("file"), nil, true},
		{"a file is changed", none, write("file", "two\n"), nil, false},
		{"a file is changed in what fits its size and time", write("file", "two\n"), func(w world) {
			info, err := os.Stat(w.path("file"))
			w.must(err)
			w.write("file", "six\n")
			w.must(os.Chtimes(w.path("file"), time.Time{}, info.ModTime()))
		}, nil, false},
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

// Prints that come again reveal an agent that goes back and forth.
func TestPrintComesAgain(t *testing.T) {
	w := newWorld(t)
	var got []string
	for _, content := range []string{"a", "b", "a", "b", "one\n"} {
		w.write("file", content)
		// Named or not: git has an opinion of it.
		got = append(got, w.look().Print)
		if again := w.look("file").Print; again != got[len(got)-1] {
			t.Errorf("%q: got another print when the file is named", content)
		}
	}
	w.git("checkout", "-q", "file")
	if clean := w.look().Print; got[0] != got[2] || got[1] != got[3] || got[0] == got[1] || got[4] != clean {
		t.Errorf("got %q and clean %q, want a, b, a, b, clean", got, clean)
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
	if tree.Files[w.path("dir/new")] != tree.Files[w.path("renamed")] || tree.Files[w.path("staged")] == tree.Files[w.path("renamed")] {
		t.Errorf("got %v, want the same for x and another for y", tree.Files)
	}
}

func TestFilesAreBounded(t *testing.T) {
	short.Skip(t)
	w := newWorld(t)
	var edited []string
	for i := range most + 50 {
		w.write(fmt.Sprint("new/", i), "x")
		edited = append(edited, fmt.Sprint("ignored", i))
		w.write(edited[i], "x")
	}
	if got := len(w.look().Files); got != most {
		t.Errorf("got %d files that git tells, want %d", got, most)
	}
	tree := w.look(edited...)
	if _, ok := tree.Files[w.path("ignored0")]; !ok || len(tree.Files) != most {
		t.Errorf("got %d files, want the %d first that were named", len(tree.Files), most)
	}
	before := tree.Print
	w.write("new/249", "y")
	if w.look(edited...).Print == before {
		t.Error("a file beyond the list does not count")
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
			tree, err := Look(t.Context(), tt.dir, nil, w.env)
			if tree.Root != tt.root || tree.Head != tt.head || err != nil || tree.Print == "" {
				t.Errorf("got %+v, %v, want the root %q and the head %q", tree, err, tt.root, tt.head)
			}
		})
	}
}

func TestNoRepository(t *testing.T) {
	w := emptyWorld(t)
	w.write("file", "one")
	w.write("other", "one")
	if got := w.look(); got.Root != "" || got.Print != "" || len(got.Files) != 0 {
		t.Errorf("got %+v, want an unknown tree", got)
	}
	one := w.look("file")
	if one.Root != "" || one.Print == "" || one.Files[w.path("file")] == "" || len(one.Files) != 1 {
		t.Errorf("got %+v, want the edited file", one)
	}
	w.write("other", "two")
	if again := w.look("file"); again.Print != one.Print {
		t.Error("got another print though the edited file is the same")
	}
	w.write("file", "two")
	if two := w.look("file"); two.Print == one.Print {
		t.Error("got the same print though the edited file is another")
	}
	if got, err := Look(t.Context(), "relative", nil, w.env); err != nil || got.Root != "" {
		t.Errorf("got %+v, %v of a folder without a place, want nothing", got, err)
	}
}

// Git is not started without a repository, and is searched only on the given PATH.
func TestWithoutGit(t *testing.T) {
	for _, path := range []string{"", ".", "bin", t.TempDir()} {
		w := newWorld(t)
		t.Chdir(w.dir)
		w.write("file", "two")
		w.write(program, "#!/bin/sh\ntouch ran\n")
		w.write("bin/"+program, "#!/bin/sh\ntouch ran\n")
		w.must(os.Chmod(w.path(program), 0o777))
		w.must(os.Chmod(w.path("bin/"+program), 0o777))
		tree, err := Look(t.Context(), w.dir, []string{"file"}, []string{"PATH=" + path})
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
	if _, err := Look(t.Context(), w.dir, nil, nil); err != nil {
		t.Errorf("no repository: got %v, want no error", err)
	}
}

// Git takes no name for a pattern, and its status decides about tracked files.
func TestOddNamesOfEditedFiles(t *testing.T) {
	w := newWorld(t)
	names := []string{":(top)file", ":!file", "-z", "--", "[f]ile", "a\nb"}
	for _, name := range names {
		w.write(name, "x")
	}
	w.commit()
	if want, got := w.look().Print, w.look(names...).Print; got != want {
		t.Error("got another print of a clean tree when its files are named")
	}
	ignored := "ignored*"
	want := w.look(ignored).Print
	w.write(ignored, "x")
	if w.look(ignored).Print == want {
		t.Error("an ignored file that is named like a pattern does not count")
	}
}

// If a repository says that its work tree is elsewhere, we stay here.
func TestWorkTreeElsewhere(t *testing.T) {
	w := newWorld(t)
	want := w.look()
	w.git("config", "core.worktree", "../..")
	w.write("../elsewhere", "x")
	if got := w.look(); got.Root != w.dir || got.Print != want.Print || len(got.Files) != 0 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// The same file has one name, whichever path leads to it.
func TestRootByALink(t *testing.T) {
	w := newWorld(t)
	link := filepath.Join(filepath.Dir(w.dir), "link")
	w.must(os.Symlink(w.dir, link))
	w.write("file", "two")
	tree, err := Look(t.Context(), link, []string{w.path("file"), w.path("ignored")}, w.env)
	want := []string{filepath.Join(link, "file"), filepath.Join(link, "ignored")}
	if got := slices.Sorted(maps.Keys(tree.Files)); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestCommitted(t *testing.T) {
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
		want               []string
		fails              bool
	}{
		{name: "a commit more", before: first, head: second, want: both},
		{name: "amended", before: second, head: amended, want: []string{"file"}},
		{name: "gone back", before: second, head: first, want: both},
		{name: "unrelated", before: first, head: unrelated, want: []string{".gitignore", "file", "other"}},
		{name: "the same", before: first, head: first},
		{name: "the first", before: "", head: first, want: []string{".gitignore", "file"}},
		{name: "unknown", before: strings.Repeat("0", 39) + "1", head: first, fails: true},
		{name: "an option", before: "--output=ran", head: first, fails: true},
		{name: "a name", before: "main", head: first, fails: true},
		{name: "an option as head", before: first, head: "--output=ran", fails: true},
		{name: "no commit now", before: first, head: "", fails: true},
		{name: "in capitals", before: strings.ToUpper(first), head: second, fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want []string
			for _, name := range tt.want {
				want = append(want, w.path(name))
			}
			got, err := Committed(t.Context(), loop.Tree{Root: w.dir, Head: tt.head}, tt.before, w.env)
			if !slices.Equal(got, want) || (err != nil) != tt.fails {
				t.Errorf("got %q, %v, want %q, an error: %v", got, err, want, tt.fails)
			}
		})
	}
	if _, err := os.Stat(w.path("ran")); err == nil {
		t.Error("an option was taken for one")
	}
	if _, err := Committed(t.Context(), loop.Tree{Head: first}, second, w.env); err == nil {
		t.Error("no work tree: got no error")
	}
}

func TestCommittedIsBounded(t *testing.T) {
	short.Skip(t)
	w := newWorld(t)
	first := w.git("rev-parse", "HEAD")
	for i := range most + 50 {
		w.write(fmt.Sprint("new/", i), "x")
	}
	w.commit()
	got, err := Committed(t.Context(), loop.Tree{Root: w.dir, Head: w.git("rev-parse", "HEAD")}, first, w.env)
	if err != nil || len(got) != most {
		t.Errorf("got %d files, %v, want %d", len(got), err, most)
	}
}

// A repository with many files is read within the limit, and a second look agrees.
func TestLargeRepository(t *testing.T) {
	w := emptyWorld(t)
	w.git("init", "-q")
	short.Skip(t)
	const files = 2000
	for i := range files {
		w.write(fmt.Sprintf("d%d/f%d", i%100, i), "x")
	}
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "many")
	for i := range files {
		w.write(fmt.Sprintf("n%d/f%d", i%100, i), "untracked")
	}
	begin := time.Now()
	one := w.look()
	t.Logf("a look takes %v", time.Since(begin))
	if two := w.look(); one.Print != two.Print {
		t.Error("got two prints of one tree")
	}
	w.write(fmt.Sprintf("n%d/f%d", 99, files-1), "more than before")
	if three := w.look(); one.Print == three.Print {
		t.Error("the last file does not count")
	}
}

// Beyond the limits, a file counts by its size and time.
func TestContentsAreBounded(t *testing.T) {
	for _, tt := range []struct {
		name   string
		bounds contents
		reads  []bool // of a file of 10 bytes, one of 5 and one of 3
	}{
		{"all fit", contents{files: 3, bytes: 18}, []bool{true, true, true}},
		{"two files", contents{files: 2, bytes: 18}, []bool{true, true, false}},
		{"no file", contents{files: 0, bytes: 18}, []bool{false, false, false}},
		{"what fits is read", contents{files: 3, bytes: 9}, []bool{false, true, true}},
		{"one byte too few", contents{files: 3, bytes: 17}, []bool{true, true, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := emptyWorld(t)
			c := newContents(t.Context())
			c.files, c.bytes = tt.bounds.files, tt.bounds.bytes
			for i, size := range []int{10, 5, 3} {
				name := fmt.Sprint(i)
				w.write(name, strings.Repeat("x", size))
				c.read(w.path(name))
				if got := !strings.Contains(c.of[w.path(name)], " bytes at "); got != tt.reads[i] {
					t.Errorf("file of %d bytes: got read %v, want %v", size, got, tt.reads[i])
				}
			}
		})
	}
}

func TestNothingIsReadAfterTheEnd(t *testing.T) {
	w := emptyWorld(t)
	w.write("file", "x")
	ctx, cancel := context.WithCancel(t.Context())
	c := newContents(ctx)
	cancel()
	if c.read(w.path("file")); len(c.of) != 0 {
		t.Errorf("got %v, want nothing", c.of)
	}
	if tree, err := Look(ctx, w.dir, []string{"file"}, w.env); err == nil || tree.Print != "" {
		t.Errorf("got %+v, %v, want an error", tree, err)
	}
}

func TestParseStatus(t *testing.T) {
	const id = "0123456789abcdef0123456789abcdef01234567"
	const head = "# branch.oid " + id + "\x00"
	const modes = "N... 100644 100644 100644 "
	for _, tt := range []struct {
		name, out string
		want      []string
		fails     bool
	}{
		{name: "clean", out: head + "# branch.head main\x00# stash 1\x00"},
		{name: "changed", out: head + "1 .M " + modes + id + " " + id + " a b\x00", want: []string{"a b"}},
		{name: "renamed", out: head + "2 R. " + modes + id + " " + id + " R100 new\x00old\x00? x\x00", want: []string{"old", "new", "x"}},
		{name: "in conflict", out: head + "u UU " + modes + "100644 " + id + " " + id + " " + id + " a b\x00", want: []string{"a b"}},
		{name: "untracked, ignored", out: head + "? a\nb\x00! c d/\x00", want: []string{"a\nb", "c d/"}},
		{name: "before the first commit", out: "# branch.oid (initial)\x00? a\x00", want: []string{"a"}},
		{name: "nothing", out: "", fails: true},
		{name: "no commit", out: "? a\x00", fails: true},
		{name: "a commit that is not one", out: "# branch.oid --exec\x00", fails: true},
		{name: "cut off", out: head + "? a", fails: true},
		{name: "an entry cut off", out: head + "1 .M " + modes + id + "\x00", fails: true},
		{name: "an old name cut off", out: head + "2 R. " + modes + id + " " + id + " R100 new\x00ol", fails: true},
		{name: "an unknown entry", out: head + "9 a\x00", fails: true},
		{name: "rubbish", out: "hello\x00", fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, got, err := parseStatus(tt.out)
			if tt.fails != (err != nil) || !tt.fails && !slices.Equal(got, tt.want) {
				t.Errorf("got %q, %v, want %q, an error: %v", got, err, tt.want, tt.fails)
			}
		})
	}
}

func TestNamesThatLeadOutAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	got := git{root: dir}.absolute([]string{"b", "../x", "/etc/passwd", "a/../../x", "", "a", "b", "nested/"})
	want := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "nested")}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
