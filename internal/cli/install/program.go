package install

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/commands"
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
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
		return "", hint.New(name+" is neither beside cursor-ralph nor on the PATH", "build it with `make build`")
	}
	return path, nil
}

// Program returns how the agent's shell calls us: by name if that leads to this file, otherwise by a path.
func Program(ctx context.Context, e *cli.Env) string {
	return nameOrPath(InShell(ctx, e, "cursor-ralph"))
}

func nameOrPath(found string) string {
	self, err := os.Executable()
	if err != nil || Itself(found) {
		return "cursor-ralph"
	}
	return lasting(self)
}

// lasting returns the link to a program that is on the PATH, which an upgrade leaves where it is, otherwise its path.
func lasting(path string) string {
	if link := find(filepath.Base(path)); filepath.IsAbs(link) && cli.SameFile(link, path) {
		return link
	}
	return path
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
	return commands.Invocation(path, runtime.GOOS)
}

// CheckProgram refuses a program that other users can replace: it is not run.
func CheckProgram(path string) error {
	err := ownfile.CheckProgram(path)
	if err == nil {
		return nil
	}
	return hint.Add(err, "take away their right with chmod go-w, then install the programs again: somebody may have changed them")
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
