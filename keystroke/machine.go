package keystroke

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Machine is what injectors look at and run.
type Machine struct {
	Desktop platform.Desktop
	OS      string   // as runtime.GOOS
	Env     []string // the environment of every program that is run, and where displays are looked up
	Robotgo string   // path of cursor-ralph-robotgo; empty where there is none
	// Guard is the command of a program that calls Guard, by which X11's
	// clipboard outlives this process; empty is none.
	Guard []string
}

// getenv gives a variable of the machine, the last one of several.
func (m Machine) getenv(name string) string {
	for _, pair := range slices.Backward(m.Env) {
		key, value, _ := strings.Cut(pair, "=")
		if key == name || m.OS == "windows" && strings.EqualFold(key, name) { // Windows writes Path
			return value
		}
	}
	return ""
}

// look finds a program on the machine's PATH. Relative folders in it are passed
// over.
func (m Machine) look(program string) (string, error) {
	for _, dir := range filepath.SplitList(m.getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed", program)
}

// programWait is how long a program may take that presses or asks something.
const programWait = 3 * time.Second

// run runs a program found by look and gives its output. Its error has what the
// program complained about.
func (m Machine) run(ctx context.Context, stdin, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, programWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env, cmd.Stdin, cmd.WaitDelay = m.Env, strings.NewReader(stdin), 100*time.Millisecond
	hide(cmd)
	var out, complaint limited
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	name := filepath.Base(path)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s: %w", name, ctx.Err())
	case errors.Is(err, exec.ErrWaitDelay): // it left a child with our streams, as wl-copy does
		return out.String(), nil
	case out.full || complaint.full:
		return "", fmt.Errorf("%s: it says more than %d bytes", name, outputLimit)
	case err != nil:
		text, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n")
		return "", fmt.Errorf("%s: %w: %.200s", name, err, text)
	}
	return out.String(), nil
}

// outputLimit is more than any program has to say: one gone wild must not fill
// the memory.
const outputLimit = 4 << 20

// limited is a text of bounded length. What is too much is an error, and ends
// the program's output.
type limited struct {
	strings.Builder
	full bool
}

// Write keeps the next piece.
func (l *limited) Write(p []byte) (int, error) {
	if l.full = l.full || l.Len()+len(p) > outputLimit; l.full {
		return 0, io.ErrShortWrite
	}
	return l.Builder.Write(p)
}
