package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// programs are the binaries that take part.
type programs struct{ floor, hook, peak string }

// build makes static binaries, with the flags of the Makefile.
func build(s settings, folder string) (programs, error) {
	p := programs{
		floor: filepath.Join(folder, "floor"+exe()),
		hook:  filepath.Join(folder, "cursor-ralph-hook"+exe()),
		peak:  filepath.Join(folder, "peak"+exe()),
	}
	const module = "github.com/cursor-ralph/cursor-ralph/"
	args := []string{"build", "-trimpath", "-ldflags", "-s -w", "-o", folder + string(filepath.Separator)}
	args = append(args, module+"bench/floor", module+"bench/peak")
	if !s.self && s.hook == "" {
		args = append(args, module+"cmd/cursor-ralph-hook")
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return p, fmt.Errorf("go build: %w\n%s", err, out)
	}
	if s.self {
		p.hook = p.floor
	}
	if s.hook == "" {
		return p, nil
	}
	hook, err := filepath.Abs(s.hook)
	p.hook = hook
	return p, err
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// bench is one measurement under way. Times are by case, in the order of cases.
type bench struct {
	settings settings
	programs programs
	cases    []benchCase
	scratch  string
	number   int // of the event, over all rounds
	floor    [][]time.Duration
	hook     [][]time.Duration
}

// rounds runs every case in every round.
func (b *bench) rounds(ctx context.Context) error {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no second thread at work while a child is timed
	if err := b.repeat(ctx, b.settings.warmup); err != nil {
		return err
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	if err := b.recorded(); err != nil {
		return err
	}
	return b.repeat(ctx, b.settings.n)
}

// repeat forgets what was measured before.
func (b *bench) repeat(ctx context.Context, n int) error {
	b.floor, b.hook = make([][]time.Duration, len(b.cases)), make([][]time.Duration, len(b.cases))
	for range n {
		if err := b.round(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
	}
	return nil
}

func (b *bench) round() error {
	for _, i := range rand.Perm(len(b.cases)) { // #nosec G404 -- the order of a measurement
		floor, hook, err := b.pair(b.cases[i])
		if err != nil {
			return fmt.Errorf("%s (%s, %d others): %w", b.cases[i].name, b.cases[i].place, b.cases[i].others, err)
		}
		b.floor[i] = append(b.floor[i], floor)
		b.hook[i] = append(b.hook[i], hook)
	}
	return nil
}

// settle waits until the folders of the crowds have been at rest for so long
// that the hook trusts their time, and lets it look at each once.
func (b *bench) settle(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2500 * time.Millisecond):
	}
	return b.repeat(ctx, 1)
}

// recorded makes sure that the tool events of the warm-up were written down: an
// answer alone does not show it.
func (b *bench) recorded() error {
	for _, c := range b.cases {
		if b.settings.self || !c.loop || c.event["tool_name"] == nil {
			continue
		}
		size, err := c.logged(c.id)
		if err == nil && size == 0 {
			err = errors.New("the hook recorded nothing")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// pair runs floor and hook on one event, in random order.
func (b *bench) pair(c benchCase) (floor, hook time.Duration, err error) {
	b.number++
	input, err := c.prepare(b.number)
	if err != nil {
		return 0, 0, err
	}
	if err := os.WriteFile(b.inputFile(), input, 0o600); err != nil {
		return 0, 0, err
	}
	floorFirst := rand.IntN(2) == 0 // #nosec G404 -- the order of a measurement
	if floorFirst {
		floor, err = b.once(b.programs.floor, c, empty)
	}
	if err == nil {
		hook, err = b.once(b.programs.hook, c, b.fits(c))
	}
	if err == nil && !floorFirst {
		floor, err = b.once(b.programs.floor, c, empty)
	}
	return floor, hook, err
}

func (b *bench) fits(c benchCase) func([]byte) error {
	if b.settings.self {
		return empty
	}
	return c.fits
}

func (b *bench) inputFile() string { return filepath.Join(b.scratch, "event.json") }

// once times one process. Its streams are files, so that nothing of ours runs
// beside it.
func (b *bench) once(program string, c benchCase, fits func([]byte) error) (time.Duration, error) {
	input, err := os.Open(b.inputFile())
	if err != nil {
		return 0, err
	}
	defer input.Close()
	output, err := os.Create(filepath.Join(b.scratch, "answer.json"))
	if err != nil {
		return 0, err
	}
	defer output.Close()
	took, err := timed(append([]string{program}, c.args...), c, input, output)
	if err != nil {
		return 0, err
	}
	answer, err := os.ReadFile(output.Name())
	if err == nil {
		err = fits(answer)
	}
	if err != nil {
		return 0, fmt.Errorf("answer %q: %w", answer, err)
	}
	return took, nil
}

func timed(argv []string, c benchCase, input, output *os.File) (time.Duration, error) {
	attr := &os.ProcAttr{Dir: c.workspace, Env: c.env, Files: []*os.File{input, output, os.Stderr}}
	start := time.Now()
	process, err := os.StartProcess(argv[0], argv, attr)
	if err != nil {
		return 0, err
	}
	state, err := process.Wait()
	took := time.Since(start)
	if err == nil && !state.Success() {
		err = errors.New(state.String())
	}
	return took, err
}

// peakKiB is the most memory that a program had resident in any of a few runs
// of a case; 0 where it cannot be told.
func (b *bench) peakKiB(program string, c benchCase) (int64, error) {
	var most int64
	for range 5 {
		b.number++
		input, err := c.prepare(b.number)
		if err != nil {
			return 0, err
		}
		cmd := exec.Command(b.programs.peak, append([]string{program}, c.args...)...)
		cmd.Dir, cmd.Env, cmd.Stdin = c.workspace, c.env, bytes.NewReader(input)
		out, err := cmd.Output()
		if err != nil {
			return 0, fmt.Errorf("peak memory of %s: %w", filepath.Base(program), err)
		}
		kib, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil {
			return 0, err
		}
		most = max(most, kib)
	}
	return most, nil
}
