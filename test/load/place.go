package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/cursor-ralph/cursor-ralph/test/sources"
)

// place is one user's machine: a home, a /tmp, a workspace and the programs.
type place struct {
	dir   string
	built string // the folder of the programs
	trace *tracks
	known map[string]bool // what atRest would complain of, and is in order
}

// newPlace builds the programs and makes the folders.
func newPlace(ctx context.Context, s settings) (*place, error) {
	dir, err := os.MkdirTemp(s.dir, "cursor-ralph-load-")
	if err != nil {
		return nil, err
	}
	p := &place{dir: dir, built: s.programs, trace: &tracks{}}
	for _, folder := range []string{p.home(), p.base(), p.workspace()} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, errors.Join(err, p.remove())
		}
	}
	if p.built != "" {
		return p, nil
	}
	p.built = filepath.Join(dir, "bin")
	if err := build(p.built); err != nil {
		return nil, errors.Join(err, p.remove())
	}
	return p, nil
}

func (p *place) remove() error { return os.RemoveAll(p.dir) }

func (p *place) home() string      { return filepath.Join(p.dir, "home") }
func (p *place) base() string      { return filepath.Join(p.dir, "tmp") }
func (p *place) archive() string   { return filepath.Join(p.dir, "home", "state") }
func (p *place) workspace() string { return filepath.Join(p.dir, "home", "code") }
func (p *place) pending() string   { return filepath.Join(p.base(), "cursor-ralph-pending") }
func (p *place) log() string       { return filepath.Join(p.base(), "cursor-ralph-stop-hook.log") }
func (p *place) live(id string) string {
	return filepath.Join(p.base(), "cursor-ralph-loop-"+id+".json")
}

func (p *place) program(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(p.built, name)
}

func build(folder string) error {
	return sources.Programs(folder, "cmd/cursor-ralph", "cmd/cursor-ralph-hook", "bench/peak")
}

// env is that of every process.
func (p *place) env(more ...string) []string {
	return append([]string{
		"HOME=" + p.home(), "PATH=" + p.built + string(filepath.ListSeparator) + os.Getenv("PATH"), "SHELL=/bin/sh",
		"CURSOR_RALPH_DIR=" + p.base(), "CURSOR_RALPH_STATE_DIR=" + p.archive(), "CURSOR_RALPH_NO_NOTIFY=1", "CURSOR_RALPH_NO_WATCHER=1",
		"SystemRoot=" + os.Getenv("SystemRoot"), // Windows programs do not start without
	}, more...)
}

// command runs cursor-ralph, as a user in a terminal or, with the variables of
// the agent's shell, as the agent does.
func (p *place) command(ctx context.Context, vars []string, args ...string) (string, error) {
	var out, complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, p.program("cursor-ralph"), args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.workspace(), p.env(vars...), &out, &complaint
	err := p.trace.time("command", cmd.Run)
	if err != nil {
		err = fmt.Errorf("cursor-ralph %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(complaint.Bytes()))
	}
	return out.String(), err
}

// atRest looks for what must not be there when every loop has ended: files that
// belong to none, locks that are held, processes, errors in the log.
func (p *place) atRest() (problems []string) {
	problems = append(p.orphans(p.base(), ofBase), p.orphans(p.pending(), ofPending)...)
	for _, folder := range []string{p.pending(), p.archive()} {
		problems = append(problems, p.orphans(filepath.Join(folder, scratch), func(string) bool { return false })...)
	}
	problems = append(problems, p.held()...)
	problems = append(problems, p.logged("action=error")...)
	problems = append(problems, leftRunning(p.built)...)
	return slices.DeleteFunc(problems, func(what string) bool { return p.known[what] })
}

func ofBase(name string) bool {
	switch name {
	case "cursor-ralph-pending", "cursor-ralph-stop-hook.log", "cursor-ralph-stop-hook.log.1", "cursor-ralph-stop-hook.log.lock":
		return true
	}
	return false
}

// scratch is the folder for files that have no name of their own yet.
const scratch = ".new"

func ofPending(name string) bool {
	return name == scratch || strings.HasPrefix(name, ".") && strings.HasSuffix(name, ".lock")
}

// orphans are the files of a folder that have no business there.
func (p *place) orphans(folder string, allowed func(name string) bool) (problems []string) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []string{err.Error()}
	}
	for _, entry := range entries {
		if !allowed(entry.Name()) {
			problems = append(problems, "left over: "+filepath.Join(filepath.Base(folder), entry.Name()))
		}
	}
	return problems
}

// locks are the lock files there are that are held for a moment only. The process
// of a run holds its own for as long as it lives.
func (p *place) locks() []string {
	locks, _ := filepath.Glob(filepath.Join(p.pending(), ".*lock")) // the pattern is a good one
	locks = slices.DeleteFunc(locks, func(path string) bool { return strings.HasPrefix(filepath.Base(path), ".run-") })
	return append(locks, p.log()+".lock")
}

// held tries every lock without waiting.
func (p *place) held() (problems []string) {
	for _, path := range p.locks() {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		lock := flock.New(path)
		taken, err := lock.TryLock()
		if !taken || err != nil {
			problems = append(problems, fmt.Sprintf("the lock %s is held (%v)", filepath.Base(path), err))
		}
		_ = lock.Unlock() // the file is closed in any case
	}
	return problems
}

// logged returns the lines of both logs with a word in them.
func (p *place) logged(word string) (lines []string) {
	for _, path := range []string{p.log() + ".1", p.log()} {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			lines = append(lines, err.Error())
		}
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, word) {
				lines = append(lines, "the log: "+strings.TrimSpace(line))
			}
		}
	}
	return lines
}

// complaints are gathered from all that goes on at once.
type complaints struct {
	mu  sync.Mutex
	all []string
}

func (c *complaints) add(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, fmt.Sprintf(format, args...))
}
