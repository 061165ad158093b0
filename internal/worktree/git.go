package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// nowhere is a path at which nothing can be.
const nowhere = os.DevNull + "/nothing"

// mostFilters is how many filters we shut; nobody has as many.
const mostFilters = 64

// git is the program, told not to run another. The repository may be a
// stranger's, and its configuration names programs for many occasions.
type git struct {
	path string
	root string
	env  []string
	safe []string // options before the command
}

// newGit finds git, and shuts the filters of the repository.
func newGit(ctx context.Context, root string, env []string) (git, error) {
	g, err := findGit(root, env)
	if err != nil {
		return git{}, err
	}
	filters, err := g.filters(ctx)
	if err != nil {
		return git{}, err
	}
	for _, name := range filters {
		key := "filter." + name + "."
		g.safe = append(g.safe, "-c", key+"clean=", "-c", key+"smudge=", "-c", key+"process=", "-c", key+"required=false")
	}
	return g, nil
}

func findGit(root string, env []string) (git, error) {
	path, err := lookPath(env)
	if err != nil {
		return git{}, err
	}
	return git{path: path, root: root, env: environment(root, env), safe: []string{
		"--no-pager", "--literal-pathspecs",
		"-c", "core.fsmonitor=", // false would be a program for git before 2.36
		"-c", "core.hooksPath=" + nowhere,
		"-c", "protocol.allow=never",
		"-c", "safe.bareRepository=explicit",
		"-c", "status.submoduleSummary=false",
		"-c", "submodule.recurse=false",
		"-c", "diff.external=",
		"-c", "column.ui=never",
		"-c", "column.status=never",
	}}, nil
}

// lookPath finds git on the PATH of an environment, and never in the current
// folder: that is the workspace.
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

// value is the last of that name, as for programs.
func value(env []string, name string) (found string) {
	for _, setting := range env {
		if n, v, _ := strings.Cut(setting, "="); isNamed(n, name) {
			found = v
		}
	}
	return found
}

// environment leaves nothing that steers git, and nothing to start: what we ask
// git for it does alone, so a PATH with nothing on it stops only what should not
// be, such as the fetch of what a partial clone left out.
func environment(root string, env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(setting string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(setting), "=")
		return strings.HasPrefix(name, "GIT_") || slices.Contains([]string{"PATH", "LC_ALL", "LANGUAGE"}, name)
	})
	return append(env, "PATH="+nowhere, "LC_ALL=C",
		"GIT_EXEC_PATH="+nowhere,
		"GIT_WORK_TREE="+root, // whatever core.worktree says
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(root),
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=",
		"GIT_TERMINAL_PROMPT=0",
	)
}

// filters names every filter that is configured. Git runs them for files whose
// time has changed, to see whether the content has. Those of the user himself
// are no exception: git-lfs writes into the repository, and runs what the
// repository's lfs.extension says.
func (g git) filters(ctx context.Context) (names []string, err error) {
	out, err := g.run(ctx, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if none := (exitError{}); errors.As(err, &none) && none.code == 1 && len(out) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for key := range strings.SplitSeq(string(out), "\x00") {
		name, ok := strings.CutPrefix(key, "filter.")
		end := strings.LastIndexByte(name, '.')
		if !ok || end < 0 || slices.Contains(names, name[:end]) {
			continue
		}
		names = append(names, name[:end])
		// An option ends its key at the first equals sign, so this one would stay open.
		if strings.Contains(name, "=") || len(names) > mostFilters {
			return nil, errors.New("git is not asked: the repository's filters cannot be shut")
		}
	}
	return names, nil
}

// run gives what git prints.
func (g git) run(ctx context.Context, args ...string) ([]byte, error) {
	out, err := run(ctx, g.path, g.root, slices.Concat(g.safe, args), g.env)
	if err != nil {
		err = fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, err
}

// isProgram tells whether a file may be run at all.
func isProgram(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && (executable || info.Mode()&0o111 != 0)
}
