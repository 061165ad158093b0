package desk

import (
	"context"
	"errors"
	"fmt"
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
	Guard   []string
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

// Look finds a program on the machine's PATH. It skips relative folders.
func (m Machine) Look(program string) (string, error) {
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

// ProgramWait is how long a program may take to press or answer something.
const ProgramWait = 3 * time.Second

// Run runs a program found by Look and returns its output, for at most
// ProgramWait. Its error has the first line of the program's standard error.
func (m Machine) Run(ctx context.Context, stdin, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, ProgramWait)
	defer cancel()
	out, err := proc.Command{Path: path, Args: args, Env: m.Env, Stdin: stdin, Limit: OutputLimit}.Output(ctx)
	if err != nil && !errors.Is(err, proc.ErrHeld) { // wl-copy leaves a child with our streams
		return "", fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return string(out), nil
}

// OutputLimit is more than any of the programs says, in bytes.
const OutputLimit = 4 << 20
