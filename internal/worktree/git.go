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

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// nowhere is a path that cannot exist.
const nowhere = os.DevNull + "/nothing"

const (
	// mostFilters is more filters than people have.
	mostFilters = 64
	// mostOutput is larger than a status of 100,000 changed files.
	mostOutput = 32 << 20
)

// git runs git without letting it run other programs: the repository may come from
// anywhere, and its configuration names programs for many occasions.
type git struct {
	path string
	root string
	env  []string
	safe []string // options before the command
}

// newGit finds git and disables the repository's filters.
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

// environment removes variables that affect git, and the PATH: our commands need no
// other program, so this prevents only unwanted actions, such as fetching what a partial
// clone left out.
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

// filters returns all configured filters. Git runs them to compare the content of files
// whose time has changed. The user's own filters count too: git-lfs runs what the
// repository's lfs.extension names.
func (g git) filters(ctx context.Context) (names []string, err error) {
	out, err := g.run(ctx, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if none := (*proc.ExitError)(nil); errors.As(err, &none) && none.Code == 1 && len(out) == 0 {
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
		// The key of an option ends at the first equals sign, so this filter would stay enabled.
		if strings.Contains(name, "=") || len(names) > mostFilters {
			return nil, errors.New("git was not run: the repository's filters cannot be disabled")
		}
	}
	return names, nil
}

// run returns git's output.
func (g git) run(ctx context.Context, args ...string) ([]byte, error) {
	return g.output(ctx, "", mostOutput, args)
}

// output is run within another limit. On Windows git.exe is often a small program that
// starts the real one, which would outlive it.
func (g git) output(ctx context.Context, stdin string, limit int, args []string) ([]byte, error) {
	out, err := proc.Command{
		Path: g.path, Dir: g.root, Env: g.env, Args: slices.Concat(g.safe, args),
		Stdin: stdin, Limit: limit, Contained: true,
	}.Output(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], errSlow)
	case err != nil:
		return out, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// isProgram reports whether a file is executable.
func isProgram(info fs.FileInfo) bool {
	return info.Mode().IsRegular() && (executable || info.Mode()&0o111 != 0)
}
