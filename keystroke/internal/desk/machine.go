package desk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/proc"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Machine is package keystroke's Machine, which has the meaning of the fields.
type Machine struct {
	Desktop platform.Desktop
	OS      string
	Env     []string
	Robotgo string
}

// Getenv returns a variable of the machine's environment, the last one of several.
func (m Machine) Getenv(name string) string {
	for _, pair := range slices.Backward(m.Env) {
		key, value, _ := strings.Cut(pair, "=")
		if key == name || m.OS == "windows" && strings.EqualFold(key, name) { // Windows writes Path
			return value
		}
	}
	return ""
}

// LookPath finds a program on the machine's PATH. It skips relative folders.
func (m Machine) LookPath(program string) (string, error) {
	for _, dir := range filepath.SplitList(m.Getenv("PATH")) {
		if path, err := LookIn(dir, program); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed", program)
}

// LookIn finds a program in a folder, unless the folder is relative.
func LookIn(dir, program string) (string, error) {
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("%s is not absolute", dir)
	}
	return exec.LookPath(filepath.Join(dir, program))
}

// lookAll finds programs, by their names.
func (m Machine) lookAll(programs ...string) (map[string]string, error) {
	paths, errs := map[string]string{}, []error(nil)
	for _, p := range programs {
		path, err := m.LookPath(p)
		paths[p] = path
		errs = append(errs, err)
	}
	return paths, errors.Join(errs...)
}

// programWait is how long a program may take to press or answer something.
const programWait = 3 * time.Second

// outputLimit is more than any of the programs says, in bytes.
const outputLimit = 4 << 20

// run runs a program and returns its output, for at most programWait. Its error
// has the first line of the program's standard error.
func (m Machine) run(ctx context.Context, path string, args ...string) (string, error) {
	return m.command(ctx, proc.Command{Path: path, Args: args, Limit: outputLimit})
}

// feed runs a program that reads a text, may leave a child behind that serves it,
// and whose output does not matter: with our streams the child would keep us
// waiting.
func (m Machine) feed(ctx context.Context, stdin, path string, args ...string) error {
	_, err := m.command(ctx, proc.Command{Path: path, Args: args, Stdin: stdin})
	return err
}

// tell is run for a program that reads a text.
func (m Machine) tell(ctx context.Context, stdin, path string, args ...string) (string, error) {
	return m.command(ctx, proc.Command{Path: path, Args: args, Stdin: stdin, Limit: outputLimit})
}

func (m Machine) command(ctx context.Context, c proc.Command) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, programWait)
	defer cancel()
	c.Env = m.Env
	out, err := c.Output(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(c.Path), err)
	}
	return string(out), nil
}

// stderrOf returns what a program that failed said, and whether it is one that
// ran and failed.
func stderrOf(err error) (string, bool) {
	exit := (*proc.ExitError)(nil)
	if !errors.As(err, &exit) {
		return "", false
	}
	return exit.Stderr, true
}

// programsOf returns the names of a process on Linux. An editor that was updated
// while it runs has an executable that was deleted. Source: proc_pid_exe(5).
func programsOf(pid int) (names []string) {
	if pid <= 0 {
		return nil
	}
	dir := fmt.Sprintf("/proc/%d/", pid)
	if exe, err := os.Readlink(dir + "exe"); err == nil {
		names = append(names, strings.TrimSuffix(exe, " (deleted)"))
	}
	if comm, err := os.ReadFile(dir + "comm"); err == nil {
		names = append(names, strings.TrimSpace(string(comm)))
	}
	return names
}
