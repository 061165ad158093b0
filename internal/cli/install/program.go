package install

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/proc"
)

// HookPath returns the hook beside this program, otherwise on the PATH.
func HookPath() (string, error) {
	name := "cursor-ralph-hook"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", hint.New(name+" is neither beside cursor-ralph nor on the PATH", "build it with `make build`, or name it with --hook")
	}
	return path, nil
}

// Program returns how the agent's shell calls us: by name if that leads to this file, otherwise by a path.
func Program(ctx context.Context, e *cli.Env) string {
	found := InShell(ctx, e, "cursor-ralph")
	path := nameOrPath(found)
	switch {
	case !filepath.IsAbs(path):
		return path
	case IsShimOf(e, found, path) && programAnswers(ctx, e, found):
		return "cursor-ralph"
	}
	return lasting(ctx, e, path, programAnswers) // Install warns about the hook beside it
}

func nameOrPath(found string) string {
	self, err := os.Executable()
	if err != nil || Itself(found) {
		return "cursor-ralph"
	}
	return self
}

// InShell returns the program of that name that a login shell runs, empty if it finds none. Without such a shell, our own PATH
// counts.
func InShell(ctx context.Context, e *cli.Env, name string) string {
	shell := e.Getenv("SHELL")
	if runtime.GOOS == "windows" || shell == "" {
		return find(name)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if path, err := lastLine(ctx, inLoginShell(shell, "command -v "+name)); err == nil {
		return path
	}
	return ""
}

// Itself reports whether path is this program.
func Itself(path string) bool {
	self, err := os.Executable()
	return err == nil && filepath.IsAbs(path) && cli.SameFile(self, path)
}

// Called returns how the agent's shell calls us, quoted; empty if the name is enough. It starts no shell, because every start
// calls it.
func Called() string {
	path := nameOrPath(find("cursor-ralph"))
	if path == "cursor-ralph" {
		return ""
	}
	return commands.Invocation(lastingLink(path, os.Getenv), runtime.GOOS)
}

// lasting returns a path to a program that survives upgrades: the package manager's link, another link on the PATH, or a shim
// that works in any folder; otherwise the path.
func lasting(ctx context.Context, e *cli.Env, path string, answers func(context.Context, *cli.Env, string) bool) string {
	path = lastingLink(path, e.Getenv)
	if !commands.Versioned(path) {
		return path
	}
	if link := InShell(ctx, e, filepath.Base(path)); isLastingLink(link, path) {
		return link
	}
	_, shims := managed(path, e.Getenv)
	for _, shim := range shims {
		if cli.IsFile(shim) && answers(ctx, e, shim) {
			return shim
		}
	}
	return path
}

func lastingLink(path string, getenv func(string) string) string {
	if !commands.Versioned(path) {
		return path
	}
	links, _ := managed(path, getenv)
	for _, folder := range filepath.SplitList(getenv("PATH")) {
		links = append(links, filepath.Join(folder, filepath.Base(path)))
	}
	if i := slices.IndexFunc(links, func(link string) bool { return isLastingLink(link, path) }); i >= 0 {
		return links[i]
	}
	return path
}

func isLastingLink(link, path string) bool {
	return filepath.IsAbs(link) && !commands.Versioned(link) && cli.SameFile(link, path)
}

func managed(path string, getenv func(string) string) (links, shims []string) {
	return commands.Lasting(path, getenv("HOME"), getenv("USER")) // those of Windows need no home
}

func hookAnswers(ctx context.Context, e *cli.Env, path string) bool {
	out, err := fromAnywhere(ctx, e, `{"hook_event_name":"workspaceOpen"}`, path)
	return err == nil && strings.TrimSpace(out) == "{}"
}

func programAnswers(ctx context.Context, e *cli.Env, path string) bool {
	theirs, err := fromAnywhere(ctx, e, "", path, "version")
	self, _ := os.Executable() // it was found before
	ours, errOurs := fromAnywhere(ctx, e, "", self, "version")
	return err == nil && errOurs == nil && theirs == ours
}

// fromAnywhere runs a program by a login shell in the root folder. The arguments need no quotes.
func fromAnywhere(ctx context.Context, e *cli.Env, input, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := proc.Command{Path: path, Args: args}
	if shell := e.Getenv("SHELL"); runtime.GOOS != "windows" && shell != "" {
		cmd = inLoginShell(shell, strings.Join(append([]string{commands.Invocation(path, runtime.GOOS)}, args...), " "))
	}
	cmd.Dir, cmd.Stdin = filepath.VolumeName(path)+string(filepath.Separator), input
	return lastLine(ctx, cmd)
}

func inLoginShell(shell, line string) proc.Command {
	return proc.Command{Path: cmp.Or(find(shell), shell), Args: []string{"-lc", line}}
}

func find(program string) string {
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	return ""
}

// lastLine returns the last line that a command prints: a profile may print more before it, and leave programs running that hold
// the output open.
func lastLine(ctx context.Context, cmd proc.Command) (string, error) {
	cmd.Limit = 1 << 20
	out, err := cmd.Output(ctx)
	if errors.Is(err, proc.ErrHeld) {
		err = nil
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1], err
}

// IsShimOf reports whether path is a shim of the program's package manager.
func IsShimOf(e *cli.Env, path, program string) bool {
	_, shims := managed(program, e.Getenv)
	return slices.Contains(shims, path)
}

func notLasting(path string) string {
	return path + " is in a folder of one version, and no link to it was found: the next upgrade removes it, so run cursor-ralph install again after each upgrade"
}
