// Package git runs git over a work tree with a git folder of our own. The folder has our
// configuration, our attributes and no hooks; of the repository git gets the objects and
// an index. So nothing that a repository configures can run a program: its filters,
// hooks, monitors and attributes do not exist for our git, and there is no moment in
// which somebody could put them back. No attribute changes a file's bytes, either.
//
// The few things that git would read from the repository's own folder (where it is, its
// commit, its references, a few settings) this package reads and writes itself.
package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// nowhere is a path that cannot exist.
const nowhere = os.DevNull + "/nothing"

// mostOutput is larger than a file of a checkpoint, and than any list.
const mostOutput = 256 << 20

// attributes keep each file as it is. Nothing takes precedence over a git folder's own.
const attributes = "* -text -ident -filter -working-tree-encoding\n"

// Git runs git in a work tree.
type Git struct {
	repo    *Repo
	folder  string
	env     []string
	options []string // before the command
}

// In returns git with its own private folder, which it makes, or completes. exclude is what
// git gets as the repository's info/exclude, and head as its commit; "" for none. The
// index is the repository's, and must not be written.
func (r *Repo) In(folder, exclude, head string) (*Git, error) {
	for _, dir := range []string{"", "refs", "info"} {
		if err := ownfile.Folder(filepath.Join(folder, dir)); err != nil {
			return nil, err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n"
	if r.settings["extensions.objectformat"] == "sha256" {
		config = "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
	}
	for name, content := range map[string]string{
		"HEAD": cmp.Or(head, "ref: refs/heads/none") + "\n", "config": config, "info/attributes": attributes, "info/exclude": exclude,
	} {
		if err := put(filepath.Join(folder, filepath.FromSlash(name)), content); err != nil {
			return nil, err
		}
	}
	return &Git{r, folder, r.environment(folder), r.options()}, r.lend(folder)
}

// put writes a file of our git folder, unless it is right already.
func put(path, content string) error {
	if is, _, err := ownfile.Read(path, 0); err == nil && string(is) == content {
		return nil
	}
	return ownfile.Replace(path, filepath.Dir(path), []byte(content), false)
}

// lend lets our git find the parts of a split index, which it looks for beside HEAD.
func (r *Repo) lend(folder string) error {
	shared, _ := filepath.Glob(filepath.Join(r.dir, "sharedindex.*")) // the pattern is valid
	for _, part := range shared {
		to := filepath.Join(folder, filepath.Base(part))
		if err := os.Symlink(part, to); err == nil || errors.Is(err, fs.ErrExist) {
			continue
		}
		data, err := os.ReadFile(part) // #nosec G304 -- as git does
		if err == nil {
			err = os.WriteFile(to, data, 0o600) // #nosec G703 -- in our own folder
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// environment removes variables that affect git, and the PATH: our commands need no
// other program, so this prevents only unwanted actions, such as fetching what a partial
// clone left out.
func (r *Repo) environment(folder string) []string {
	env := slices.DeleteFunc(slices.Clone(r.env), func(setting string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(setting), "=")
		return strings.HasPrefix(name, "GIT_") || slices.Contains([]string{"PATH", "LC_ALL", "LANGUAGE"}, name)
	})
	return append(env, "PATH="+nowhere, "LC_ALL=C",
		"GIT_EXEC_PATH="+nowhere,
		"GIT_DIR="+folder,
		"GIT_WORK_TREE="+r.Root,
		"GIT_OBJECT_DIRECTORY="+r.Objects(),
		"GIT_INDEX_FILE="+filepath.Join(r.dir, "index"),
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=",
		"GIT_TERMINAL_PROMPT=0",
	)
}

// copied are the settings of a repository that say how files are on this disk, and who
// may write its objects. Nothing else of its configuration reaches our git.
var copied = []string{
	"core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode", "core.longpaths", "core.trustctime", "core.checkstat",
	"core.excludesfile", "core.sharedrepository",
}

// options also take effect over the user's own configuration, which names the user's
// ignore file.
func (r *Repo) options() []string {
	list := []string{
		"--no-pager", "--literal-pathspecs",
		"-c", "core.fsmonitor=", // false would be a program for git before 2.36
		"-c", "core.hooksPath=" + nowhere,
		"-c", "core.splitIndex=false",
		"-c", "core.untrackedCache=false",
		"-c", "core.sparseCheckout=true", // git then looks at files that are there although the index says that they are not
		"-c", "protocol.allow=never",
		"-c", "diff.external=",
		"-c", "gc.auto=0",
	}
	for _, name := range copied {
		if value, ok := r.settings[name]; ok {
			list = append(list, "-c", name+"="+value)
		}
	}
	return list
}

// With returns git with more variables, and with more options before the command.
func (g *Git) With(env []string, options ...string) *Git {
	return &Git{g.repo, g.folder, slices.Concat(g.env, env), slices.Concat(g.options, options)}
}

// Run runs a git command and returns its output. On Windows git.exe is often a small
// program that starts the real one, which would outlive it.
func (g *Git) Run(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	out, err := proc.Command{
		Path: g.repo.program, Dir: g.repo.Root, Env: g.env, Args: slices.Concat(g.options, args),
		Stdin: stdin, Limit: mostOutput, Contained: true,
	}.Output(ctx)
	if err != nil {
		return out, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// Names splits a list that git printed with -z.
func Names(out []byte) []string {
	return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool { return name == "" })
}

// Joined is a list as git reads it with -z.
func Joined(list []string) string { return strings.Join(list, "\x00") + "\x00" }

// lookPath finds git on the PATH of an environment, but never in the current folder,
// which is the workspace.
func lookPath(env []string) (string, error) {
	for _, dir := range filepath.SplitList(value(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, program)
		if info, err := os.Stat(path); err == nil && isProgram(info) {
			return path, nil
		}
	}
	return "", errors.New("no git on PATH")
}

// value returns the last value of a variable, as programs see it.
func value(env []string, name string) (found string) {
	for _, setting := range env {
		if n, v, _ := strings.Cut(setting, "="); isNamed(n, name) {
			found = v
		}
	}
	return found
}

// isProgram reports whether a file is executable.
func isProgram(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && (executable || info.Mode()&0o111 != 0)
}
