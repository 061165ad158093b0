package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// longLived are the processes that live while all else begins and ends: the panel
// in a terminal, and a run whose agent does not come to an end.
type longLived struct {
	*place
	socket string // of tmux; its name must be short
	watch  int
	run    *exec.Cmd
}

// enough is how long a process may take until it shows itself.
const enough = time.Minute

func (p *place) startLong(ctx context.Context) (l longLived, err error) {
	dir, err := os.MkdirTemp("", "tmux")
	if err != nil {
		return l, err
	}
	l = longLived{place: p, socket: filepath.Join(dir, "s")}
	if err = l.startRun(ctx); err == nil {
		err = l.startWatch(ctx)
	}
	if err != nil {
		return l, errors.Join(err, l.end())
	}
	p.known = map[string]bool{} // from here on they are not orphans
	for _, name := range append(leftRunning(p.built), p.orphans(p.base(), ofBase)...) {
		p.known[name] = true
	}
	return l, nil
}

func (l *longLived) startRun(ctx context.Context) error {
	folder := filepath.Join(l.home(), "run")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(l.dir, "run.txt"))
	if err != nil {
		return err
	}
	defer out.Close()
	l.run = exec.Command(l.program("cursor-ralph"), "run", "Take long.", "--agent-command", "sleep 1000000")
	l.run.Dir, l.run.Env, l.run.Stdout, l.run.Stderr = folder, l.env(), out, out
	if err := l.run.Start(); err != nil {
		l.run = nil
		return err
	}
	return l.until(ctx, "the run has a loop", func() (bool, error) {
		live, err := filepath.Glob(l.live("*"))
		return len(live) == 1, err
	})
}

func (l *longLived) startWatch(ctx context.Context) error {
	command := "exec '" + l.program("cursor-ralph") + "' watch"
	if _, err := l.tmux(ctx, "-f", os.DevNull, "new-session", "-d", "-x", "120", "-y", "40", command); err != nil {
		return err
	}
	err := l.until(ctx, "the panel shows the run", func() (bool, error) {
		screen, err := l.tmux(ctx, "capture-pane", "-p")
		return strings.Contains(screen, "1 running"), err
	})
	if err != nil {
		return err
	}
	pid, err := l.tmux(ctx, "display-message", "-p", "#{pane_pid}")
	if err == nil {
		l.watch, err = strconv.Atoi(strings.TrimSpace(pid))
	}
	return err
}

func (l *longLived) tmux(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", l.socket}, args...)...)
	cmd.Env = l.env("LANG=C.UTF-8", "TERM=xterm-256color")
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tmux %s: %w: %s", args[0], err, bytes.TrimSpace(out))
	}
	return string(out), err
}

func (l *longLived) until(ctx context.Context, what string, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, enough)
	defer cancel()
	for {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited in vain until %s: %w", what, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (l *longLived) used() (watch, run usage, err error) {
	watch, errWatch := usageOf(l.watch)
	run, errRun := usageOf(l.run.Process.Pid)
	return watch, run, errors.Join(errWatch, errRun)
}

// end closes the terminal, and ends the run as Ctrl-C does.
func (l *longLived) end() (err error) {
	if l.watch != 0 {
		_, err = l.tmux(context.Background(), "kill-server")
	}
	if l.run != nil {
		_ = l.run.Process.Signal(os.Interrupt) // it may have ended
		_ = l.run.Wait()                       // interrupted is no success
	}
	return errors.Join(err, os.RemoveAll(filepath.Dir(l.socket)))
}
