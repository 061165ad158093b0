// Command watch measures what cursor-ralph watch costs while many loops change:
// the real program in a real terminal (tmux), with state files like those of
// loops of fifty iterations and an archive of ended ones.
//
//	go run ./bench/watch                          200 loops, 20 events a second
//	go run ./bench/watch -loops 1000 -events 100
//
// A quarter of the events are stops, which replace a state file and its copy in
// the archive; the others are tool calls, which lengthen a journal. The time on
// the processor is what Linux reports the process, between two moments after it
// has shown its first screen.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// settings are the command line.
type settings struct {
	loops, events, ended int
	seconds              time.Duration
}

func run(args []string, stdout, stderr io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("watch", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.loops, "loops", 200, "live loops")
	flags.IntVar(&s.events, "events", 20, "events a second")
	flags.IntVar(&s.ended, "ended", 5000, "ended loops in the archive")
	flags.DurationVar(&s.seconds, "for", 20*time.Second, "how long to measure")
	if err := flags.Parse(args); err != nil || s.loops < 1 || s.events < 1 || s.ended < 0 || flags.NArg() > 0 {
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, s, stdout); err != nil {
		fmt.Fprintln(stderr, "watch:", err)
		return 1
	}
	return 0
}

func measure(ctx context.Context, s settings, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "cursor-ralph-watch-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := bench{settings: s, dir: dir}
	if err := b.layOut(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.tmux(context.WithoutCancel(ctx), "kill-server")) }()
	pid, err := b.open(ctx)
	if err != nil {
		return err
	}
	before, _, err := used(pid)
	began := time.Now()
	if err == nil {
		err = b.change(ctx)
	}
	if err != nil {
		return err
	}
	took := time.Since(began)
	after, peak, err := used(pid)
	if err == nil {
		_, err = fmt.Fprintf(out, "%d loops, %d events a second, %d ended, %.0f s: %.1f %% of one core, %.1f MB at most\n",
			s.loops, s.events, s.ended, took.Seconds(), 100*(after-before).Seconds()/took.Seconds(), float64(peak)/1e6)
	}
	return err
}

type bench struct {
	settings
	dir string
}

func (b bench) base() string    { return filepath.Join(b.dir, "tmp") }
func (b bench) archive() string { return filepath.Join(b.dir, "state") }

// layOut builds the program and writes the files.
func (b bench) layOut(ctx context.Context) error {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.dir+string(filepath.Separator),
		"github.com/cursor-ralph/cursor-ralph/cmd/cursor-ralph")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, text)
	}
	for _, dir := range []string{b.base(), b.archive()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	for n := range b.ended {
		if err := os.WriteFile(filepath.Join(b.archive(), fmt.Sprintf("ended-%d.json", n)), state(n, "CANCELLED"), 0o600); err != nil {
			return err
		}
	}
	for n := range b.loops {
		if err := b.stop(n, 0); err != nil {
			return err
		}
	}
	return nil
}

// state is a state file of some fifty kilobytes.
func state(n int, status string) []byte {
	now := time.Now()
	var history []map[string]any
	for i := range 50 {
		history = append(history, map[string]any{
			"iteration": i + 1, "started_at": now, "ended_at": now, "duration_seconds": 60.5, "promise": "none", "action": "followup",
			"tools": map[string]int{"Write": 3, "Shell": 5, "Read": 9}, "answer": strings.Repeat("words of the agent ", 20),
			"files": []string{"internal/one/one.go", "internal/two/two.go", "internal/three/three_test.go", "README.md"},
		})
	}
	data, err := json.Marshal(map[string]any{
		"prompt": fmt.Sprintf("task %d: make the tests pass", n), "max_iterations": 1000, "iterations": 50 + n, "status": status,
		"workspace": "/home/user/code/repo", "started_at": now, "ended_at": now, "last_event_at": now, "history": history,
	})
	if err != nil {
		panic(err) // a literal cannot fail
	}
	return data
}

// stop replaces a state file and its copy in the archive, as the hook does.
func (b bench) stop(n, count int) error {
	data := state(n+count, "running")
	for _, path := range []string{filepath.Join(b.base(), fmt.Sprintf("cursor-ralph-loop-chat-%d.json", n)), filepath.Join(b.archive(), fmt.Sprintf("chat-%d.json", n))} {
		scratch := filepath.Join(b.dir, "new")
		if err := errors.Join(os.WriteFile(scratch, data, 0o600), os.Rename(scratch, path)); err != nil {
			return err
		}
	}
	return nil
}

// tool lengthens a journal, as the hook does.
func (b bench) tool(n int) error {
	f, err := os.OpenFile(filepath.Join(b.base(), fmt.Sprintf("cursor-ralph-loop-chat-%d.journal", n)), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n{\"e\":\"tool\",\"tool\":\"Write\"}\n")
	return errors.Join(err, f.Close())
}

// open starts the panel in a terminal and waits until it shows the loops.
func (b bench) open(ctx context.Context) (pid int, err error) {
	command := fmt.Sprintf("CURSOR_RALPH_DIR='%s' CURSOR_RALPH_STATE_DIR='%s' exec '%s/cursor-ralph' watch", b.base(), b.archive(), b.dir)
	if err := b.tmux(ctx, "-f", os.DevNull, "new-session", "-d", "-x", "120", "-y", "40", command); err != nil {
		return 0, err
	}
	for range 200 {
		screen, err := b.ask(ctx, "capture-pane", "-p")
		if err != nil {
			return 0, err
		}
		if strings.Contains(screen, fmt.Sprintf("%d live", b.loops)) {
			text, err := b.ask(ctx, "display-message", "-p", "#{pane_pid}")
			if err != nil {
				return 0, err
			}
			return strconv.Atoi(strings.TrimSpace(text))
		}
		time.Sleep(100 * time.Millisecond)
	}
	return 0, errors.New("the panel shows no loops")
}

func (b bench) tmux(ctx context.Context, args ...string) error {
	_, err := b.ask(ctx, args...)
	return err
}

func (b bench) ask(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "tmux", append([]string{"-S", filepath.Join(b.dir, "tmux")}, args...)...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), err
}

// change lets events happen at even times.
func (b bench) change(ctx context.Context) (err error) {
	ticker := time.NewTicker(time.Second / time.Duration(b.events))
	defer ticker.Stop()
	for count := range int(b.seconds.Seconds() * float64(b.events)) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		if n := count * 7 % b.loops; count%4 == 0 {
			err = b.stop(n, count)
		} else {
			err = b.tool(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// used is the time that a process has had on a processor, and the most memory that
// it had resident, in bytes.
func used(pid int) (cpu time.Duration, peak int64, err error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, fmt.Errorf("needs Linux, and a panel that runs: %w", err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	for _, field := range fields[11:13] { // utime and stime, in hundredths of a second
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, 0, err
		}
		cpu += time.Duration(ticks) * 10 * time.Millisecond
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	_, rest, _ = strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return cpu, kib * 1024, err
}
