//go:build unix

package worktree

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// trap returns a program outside the repository that leaves a file when it runs.
func trap(w world) (program string, sprung func() bool) {
	program = w.path("../trap")
	w.must(os.WriteFile(program, []byte("#!/bin/sh\n: >'"+program+".ran'\n"), 0o777))
	return program, func() bool {
		_, err := os.Stat(program + ".ran")
		return err == nil
	}
}

// config sets what a foreign .git/config may contain.
func config(settings ...string) func(world, string) {
	return func(w world, trap string) {
		for i := 0; i < len(settings); i += 2 {
			w.git("config", settings[i], strings.ReplaceAll(settings[i+1], "TRAP", trap))
		}
	}
}

// touched makes git read a file again, through its filter.
func touched(do func(world, string)) func(world, string) {
	return func(w world, trap string) {
		w.write(".gitattributes", "file filter=evil diff=evil merge=evil\n")
		w.commit()
		do(w, trap)
		w.must(os.Chtimes(w.path("file"), time.Time{}, time.Now().Add(-time.Hour)))
	}
}

// partial makes a partial clone, which fetches missing objects as configured.
func partial(settings ...string) func(world, string) {
	return func(w world, trap string) {
		tree := w.git("rev-parse", "HEAD^{tree}")
		config("core.repositoryFormatVersion", "1", "extensions.partialClone", "evil", "remote.evil.promisor", "true")(w, trap)
		config(settings...)(w, trap)
		w.must(os.Remove(w.path(".git/objects/" + tree[:2] + "/" + tree[2:])))
	}
}

// asUser runs git as a user does, until a trap has sprung: some traps make git wait
// forever.
func asUser(w world, sprung func() bool, args ...string) (said string) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	ended := make(chan string, 1)
	go func() {
		out, err := proc.Command{Path: "/usr/bin/env", Dir: w.dir, Args: append([]string{"git"}, args...), Env: w.env, Limit: mostOutput}.Output(ctx)
		ended <- fmt.Sprintf("%s%v", out, err)
	}()
	for !sprung() && said == "" {
		select {
		case said = <-ended:
		case <-time.After(time.Millisecond):
		}
	}
	if said == "" {
		cancel()
		<-ended
	}
	return said
}

// Each case is a way in which a repository makes git run a program. The test also
// proves that the trap works: plain git springs it.
func TestHostileRepositories(t *testing.T) {
	hook := func(name string) func(world, string) {
		return func(w world, trap string) {
			w.must(os.MkdirAll(w.path(".git/hooks"), 0o777))
			w.must(os.Symlink(trap, w.path(".git/hooks/"+name)))
			// The index is old, so git would write it anew.
			w.must(os.Chtimes(w.path("file"), time.Time{}, time.Now().Add(-time.Hour)))
		}
	}
	status := []string{"status", "--porcelain"}
	for _, tt := range short.First([]struct {
		name  string
		arm   func(w world, trap string)
		bites []string // what git does when it springs the trap; nil where git as of now does not
	}{
		{"fsmonitor", config("core.fsmonitor", "TRAP"), status},
		{"fsmonitor, the hook's second version", config("core.fsmonitor", "TRAP", "core.fsmonitorHookVersion", "2"), status},
		{"fsmonitor in an included file", func(w world, trap string) {
			w.write(".git/more", "[core]\n\tfsmonitor = "+trap+"\n")
			config("include.path", "more")(w, trap)
		}, status},
		{"fsmonitor of the work tree", func(w world, trap string) {
			config("core.repositoryFormatVersion", "1", "extensions.worktreeConfig", "true")(w, trap)
			w.git("config", "--worktree", "core.fsmonitor", trap)
		}, status},
		{"fsmonitor where core.worktree leads elsewhere", config("core.worktree", "..", "core.fsmonitor", "TRAP"), status},
		{"a clean filter", touched(config("filter.evil.clean", "TRAP")), status},
		{"a required clean filter", touched(config("filter.evil.clean", "TRAP", "filter.evil.required", "true")), status},
		{"a filter process", touched(config("filter.evil.process", "TRAP")), status},
		{"a filter of the work tree", touched(func(w world, trap string) {
			config("core.repositoryFormatVersion", "1", "extensions.worktreeConfig", "true")(w, trap)
			w.git("config", "--worktree", "filter.evil.clean", trap)
		}), status},
		{"a filter in an included file", touched(func(w world, trap string) {
			w.write(".git/more", "[filter \"evil\"]\n\tclean = "+trap+"\n")
			config("include.path", "more")(w, trap)
		}), status},
		{"a filter included for a branch", touched(func(w world, trap string) {
			w.write(".git/more", "[filter \"evil\"]\n\tclean = "+trap+"\n")
			config("includeIf.onbranch:main.path", "more")(w, trap)
		}), status},
		{"a filter that git's own attributes name", func(w world, trap string) {
			w.write(".git/info/attributes", "file filter=a.b\n")
			config("filter.a.b.clean", "TRAP")(w, trap)
			w.must(os.Chtimes(w.path("file"), time.Time{}, time.Now().Add(-time.Hour)))
		}, status},
		{"a filter that the attributes file names", func(w world, trap string) {
			w.write(".git/attributes", "file filter=\"é\"\n")
			config("core.attributesFile", w.path(".git/attributes"), "filter.é.clean", "TRAP")(w, trap)
			w.write(".git/info/attributes", "file filter=é\n")
			w.must(os.Chtimes(w.path("file"), time.Time{}, time.Now().Add(-time.Hour)))
		}, status},
		{"a filter with an equals sign", func(w world, trap string) {
			w.write(".git/info/attributes", "file filter=a=b\n")
			config("filter.a=b.clean", "TRAP")(w, trap)
			w.must(os.Chtimes(w.path("file"), time.Time{}, time.Now().Add(-time.Hour)))
		}, status},
		{"a user's filter that runs what the repository says", touched(func(w world, trap string) {
			w.git("config", "--global", "filter.evil.clean", "$(git config lfs.extension.evil.clean)")
			config("lfs.extension.evil.clean", "TRAP")(w, trap)
		}), status},
		{"a hook after the index", hook("post-index-change"), status},
		{"a hook from elsewhere", func(w world, trap string) {
			w.must(os.Mkdir(w.path("../hooks"), 0o777))
			w.must(os.Symlink(trap, w.path("../hooks/post-index-change")))
			config("core.hooksPath", w.path("../hooks"))(w, trap)
			w.must(os.Chtimes(w.path("file"), time.Time{}, time.Now().Add(-time.Hour)))
		}, status},
		{"a fsmonitor of a submodule", func(w world, trap string) {
			w.must(os.Mkdir(w.path("lib"), 0o777))
			w.below("lib").git("init", "-q")
			w.write("lib/a", "a")
			w.below("lib").commit()
			w.git("-c", "advice.addEmbeddedRepo=false", "add", "lib")
			w.commit()
			config("core.fsmonitor", "TRAP")(w.below("lib"), trap)
			w.write("lib/a", "b")
		}, status},
		{"a fsmonitor of an untracked repository", func(w world, trap string) {
			w.must(os.Mkdir(w.path("lib"), 0o777))
			w.below("lib").git("init", "-q")
			w.write("lib/a", "a")
			w.below("lib").commit()
			config("core.fsmonitor", "TRAP")(w.below("lib"), trap)
		}, []string{"-C", "lib", "status"}},
		{"an external diff", config("diff.external", "TRAP"), []string{"diff", "HEAD~"}},
		{"a diff driver", touched(config("diff.evil.command", "TRAP")), []string{"diff", emptyTree(40)}},
		{"a textconv", touched(config("diff.evil.textconv", "TRAP")), []string{"diff", emptyTree(40), "HEAD"}},
		{"an alias", config("alias.status", "!TRAP", "alias.config", "!TRAP", "alias.diff-tree", "!TRAP", "alias.x", "!TRAP"), []string{"x"}},
		{"a pager", config("core.pager", "TRAP", "pager.status", "TRAP", "pager.config", "TRAP", "pager.diff-tree", "true"), nil},
		{"a partial clone by a program", partial("remote.evil.url", "ext::TRAP", "protocol.ext.allow", "always"), status},
		{"a partial clone with a program on the other side", partial("remote.evil.url", ".", "remote.evil.uploadpack", "TRAP"), status},
		{"a partial clone by ssh", partial("remote.evil.url", "ssh://localhost/x", "core.sshCommand", "TRAP"), status},
		{"a partial clone by a proxy", partial("remote.evil.url", "git://localhost/x", "core.gitProxy", "TRAP"), status},
		{"a partial clone that starts maintenance", partial("remote.evil.url", "ssh://localhost/x", "core.sshCommand", "TRAP", "gc.auto", "1"), status},
		{"a partial clone with a helper for credentials", partial("remote.evil.url", "http://localhost:1/x", "credential.helper", "!TRAP", "core.askPass", "TRAP"), nil},
		{"an editor, signatures and other repositories", config("core.editor", "TRAP", "gpg.program", "TRAP", "log.showSignature", "true",
			"core.alternateRefsCommand", "TRAP", "status.submoduleSummary", "true", "merge.evil.driver", "TRAP", "interactive.diffFilter", "TRAP",
			"submodule.recurse", "true", "trace2.eventTarget", "TRAP", "uploadpack.packObjectsHook", "TRAP"), nil},
	}, 8) {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write("second", "x")
			w.commit()
			trap, sprung := trap(w)
			tt.arm(w, trap)
			before := snapshot(w)
			tree, err := Look(t.Context(), w.dir, []string{"file", "ignored", "../trap"}, w.env)
			if sprung() {
				t.Fatalf("Look ran the repository's program: %+v, %v", tree, err)
			}
			if _, ok := tree.Files[w.path("file")]; !ok {
				t.Errorf("got %+v, %v, want the edited file at least", tree, err)
			}
			head, first := commit(w.dir), emptyTree(40)
			_, diffErr := Committed(t.Context(), loop.Tree{Root: w.dir, Head: head}, first, w.env)
			if sprung() {
				t.Fatalf("Committed ran the repository's program: %v", diffErr)
			}
			if _, err := Diff(t.Context(), w.dir, w.env); sprung() {
				t.Fatalf("Diff ran the repository's program: %v", err)
			}
			if after := snapshot(w); !maps.Equal(before, after) {
				t.Errorf("the repository is not as it was:\n%v\n%v", before, after)
			}
			if tt.bites == nil {
				return
			}
			if said := asUser(w, sprung, tt.bites...); !sprung() {
				t.Errorf("the trap does not work: git %q: %s", tt.bites, said)
			}
		})
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
		t.Error("Look has written into the repository")
	}
	w.git("status")
	if after := snapshot(w); maps.Equal(before, after) {
		t.Error("git status writes nothing: this test shows nothing")
	}
}

// The filter does not run, but the change of the file counts.
func TestFilteredFile(t *testing.T) {
	w := newWorld(t)
	touched(config("filter.evil.clean", "tr a-z A-Z", "filter.evil.required", "true"))(w, "")
	w.write("file", "two")
	two := w.look()
	if two.Files[w.path("file")] == "" {
		t.Errorf("got %+v, want the file", two)
	}
	w.write("file", "six")
	if six := w.look(); six.Print == two.Print {
		t.Error("got the same print of other content")
	}
}

func TestTooManyFilters(t *testing.T) {
	for n, fails := range map[int]bool{mostFilters: false, mostFilters + 1: true} {
		w := newWorld(t)
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, "[filter \"f%d\"]\n\tclean = x\n\tsmudge = x\n", i)
		}
		w.write(".git/more", all.String())
		w.git("config", "include.path", "more")
		if tree, err := Look(t.Context(), w.dir, nil, w.env); (err != nil) != fails || (tree.Root == "") != fails {
			t.Errorf("%d filters: got %+v, %v, want an error: %v", n, tree, err, fails)
		}
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

// A bare repository among a repository's files would come with a clone.
func TestBareRepositoryWithin(t *testing.T) {
	w := newWorld(t)
	trap, sprung := trap(w)
	w.git("init", "-q", "--bare", "bare")
	w.below("bare").git("config", "core.fsmonitor", trap)
	tree, err := Look(t.Context(), w.path("bare"), nil, w.env)
	if tree.Root != w.dir || err != nil || sprung() {
		t.Errorf("got %+v, %v, want the outer repository", tree, err)
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
	tree, err := Look(t.Context(), w.dir, nil, w.env)
	if err == nil || tree.Root != "" || sprung() {
		t.Errorf("got %+v, %v, want an error", tree, err)
	}
}

func TestRepositoryOfSomebodyElse(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to make a repository of somebody else")
	}
	w := newWorld(t)
	w.write("file", "two")
	w.must(os.Chown(w.path(".git"), 12345, 12345))
	w.must(os.Chown(w.dir, 12345, 12345))
	tree, err := Look(t.Context(), w.dir, []string{"file"}, w.env)
	if err == nil || !strings.Contains(err.Error(), "ownership") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v, want git's refusal in one line", err)
	}
	if tree.Root != "" || tree.Print != "" || len(tree.Files) != 1 {
		t.Errorf("got %+v, want the edited file alone", tree)
	}
}

func TestUnreadableFile(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("needs an ordinary user, root reads everything")
	}
	w := newWorld(t)
	w.write("file", "two")
	w.must(os.Chmod(w.path("file"), 0))
	one := w.look()
	w.must(os.Chtimes(w.path("file"), time.Time{}, time.Now().Add(time.Hour)))
	if two := w.look(); one.Files[w.path("file")] == "" || two.Print == one.Print {
		t.Errorf("got %+v, then %+v, want a stamp for each", one, two)
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
	if f, err := openFile(w.path("pipe")); err == nil {
		t.Errorf("got %v, want no pipe opened", f.Name())
	}
	if f, err := openFile(w.path("link")); err == nil {
		t.Errorf("got %v, want no link followed", f.Name())
	}
}

func TestExecutable(t *testing.T) {
	w := newWorld(t)
	w.write("file", "two")
	one := w.look()
	w.must(os.Chmod(w.path("file"), 0o755))
	if two := w.look(); two.Print == one.Print {
		t.Error("got the same print of a file that may be run now")
	}
}

// Names are bytes for git, and text in the loop's file.
func TestNamesThatAreNotText(t *testing.T) {
	w := newWorld(t)
	w.write("a\xff", "1")
	one := w.look()
	if _, ok := one.Files[w.path("a\ufffd")]; !ok {
		t.Errorf("got %q", slices.Collect(maps.Keys(one.Files)))
	}
	w.write("a\xff", "2")
	if two := w.look(); two.Print == one.Print {
		t.Error("got the same print of other content")
	}
}
