//go:build linux

package testdesk

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Terminal is the window of foot with a program in it that keeps what is typed.
type Terminal struct {
	View View
	file string
	p    *process
}

// StartTerminal opens a terminal with an app_id and a title. It keeps every
// key at once, a Return as "\r", and shows nothing.
func (s *Sway) StartTerminal(ctx context.Context, appID, title string) (*Terminal, error) {
	path, err := exec.LookPath("foot")
	if err != nil {
		return nil, errors.New("foot is not installed")
	}
	dir, err := os.MkdirTemp(s.dir, "foot")
	if err != nil {
		return nil, err
	}
	t := &Terminal{file: filepath.Join(dir, "typed")}
	t.p, err = start(append(slices.Clone(s.Env), "LC_ALL=C.UTF-8"), filepath.Join(dir, "log"), path, "--config=/dev/null",
		"--app-id="+appID, "--title="+title, "sh", "-c", `stty raw -echo; exec cat >>"$1"`, "sh", t.file)
	if err != nil {
		return nil, err
	}
	if t.View, err = s.view(ctx, title, func(v View) bool { return v.PID == t.p.pid() }); err == nil {
		_, err = t.waits(ctx, func(string) bool { return true })
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Typed returns what was typed up to now.
func (t *Terminal) Typed() (string, error) {
	text, err := os.ReadFile(t.file)
	return string(text), err
}

// Wait waits until so many bytes were typed, and returns them.
func (t *Terminal) Wait(ctx context.Context, n int) (string, error) {
	return t.waits(ctx, func(text string) bool { return len(text) >= n })
}

// WaitEnd waits until what was typed ends in a text, and returns it all.
func (t *Terminal) WaitEnd(ctx context.Context, end string) (string, error) {
	return t.waits(ctx, func(text string) bool { return strings.HasSuffix(text, end) })
}

// waits waits until ok returns true for what was typed. At first there is no file.
func (t *Terminal) waits(ctx context.Context, ok func(string) bool) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		text, err := t.Typed()
		if err == nil && ok(text) {
			return text, nil
		}
		select {
		case <-ctx.Done():
			return text, errors.Join(err, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Forget drops what was typed.
func (t *Terminal) Forget() error { return os.Truncate(t.file, 0) }

// Close ends the terminal.
func (t *Terminal) Close() error { return t.p.stop() }
