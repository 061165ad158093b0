package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// sample is what one process took: the time until it closed its standard output,
// which is what its reader waits for, and the time on a processor, that of its
// children too.
type sample struct{ wall, cpu time.Duration }

// runner is a program in a case.
type runner struct {
	name   string // floor, hook or bash
	row    string // what else distinguishes it in the record
	argv   []string
	before func() error              // makes its state as it was; nil where it has none
	fits   func(answer []byte) error // what else was measured than the table says
}

// benchCase is an event, and who is measured on it.
type benchCase struct {
	scene
	name    string
	target  float64 // times the floor; 0 for none
	id      string  // the conversation
	event   event
	runners []runner     // the first is the floor
	after   func() error // looks, once, whether the runs before left what they should
	taken   [][]sample   // by runner
}

// bench is a measurement under way.
type bench struct {
	settings settings
	programs programs
	work     workplace
	number   int // of the event, over all rounds
}

// measure runs every case in every round, and each of a case's runners beside
// the others.
func (b *bench) measure(ctx context.Context, cases []*benchCase, n int) error {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // no second thread at work while a child is timed
	if err := b.repeat(ctx, cases, min(b.settings.warmup, max(1, n/10))); err != nil {
		return err
	}
	if err := b.settle(ctx, cases); err != nil {
		return err
	}
	for _, c := range cases {
		if c.after == nil {
			continue
		}
		if err := c.after(); err != nil {
			return c.failed(err)
		}
	}
	return b.repeat(ctx, cases, n)
}

func (c *benchCase) failed(err error) error {
	return fmt.Errorf("%s: %w", c.label(), err)
}

// repeat forgets what was measured before.
func (b *bench) repeat(ctx context.Context, cases []*benchCase, n int) error {
	for _, c := range cases {
		c.taken = make([][]sample, len(c.runners))
	}
	for range n {
		for _, i := range rand.Perm(len(cases)) { // #nosec G404 -- the order of a measurement
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
			if err := b.beside(cases[i]); err != nil {
				return cases[i].failed(err)
			}
		}
	}
	return nil
}

// settle waits until the folders of a crowd have been at rest for so long that
// the hook trusts their time, and lets it look at each once.
func (b *bench) settle(ctx context.Context, cases []*benchCase) error {
	for _, c := range cases {
		if c.others == 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2500 * time.Millisecond):
		}
		return b.repeat(ctx, cases, 1)
	}
	return nil
}

// beside gives one event to all runners of a case, in random order.
func (b *bench) beside(c *benchCase) error {
	b.number++
	input, err := c.event.bytes(c.scene, c.id, b.number)
	if err != nil {
		return err
	}
	for _, i := range rand.Perm(len(c.runners)) { // #nosec G404 -- the order of a measurement
		r := c.runners[i]
		if r.before != nil {
			if err := r.before(); err != nil {
				return err
			}
		}
		took, _, err := b.once(r.argv, c.scene, input, r.fits)
		if err != nil {
			return err
		}
		c.taken[i] = append(c.taken[i], took)
	}
	return nil
}

// once measures one process.
func (b *bench) once(argv []string, s scene, event []byte, fits func([]byte) error) (took sample, answer []byte, err error) {
	in := filepath.Join(b.work.scratch(), "event.json")
	if err := os.WriteFile(in, event, 0o600); err != nil {
		return took, nil, err
	}
	if took, answer, err = s.run(argv, in); err != nil {
		return took, nil, fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	if err = fits(answer); err != nil {
		err = fmt.Errorf("%s answered %q: %w", strings.Join(argv, " "), answer, err)
	}
	return took, answer, err
}

// run reads what a process prints until it closes its standard output. A hook may
// stay on after that, which nobody waits for here.
func (s scene) run(argv []string, in string) (sample, []byte, error) {
	input, err := os.Open(in)
	if err != nil {
		return sample{}, nil, err
	}
	defer input.Close()
	out, w, err := os.Pipe()
	if err != nil {
		return sample{}, nil, err
	}
	defer out.Close()
	attr := &os.ProcAttr{Dir: s.workspace, Env: s.env, Files: []*os.File{input, w, os.Stderr}}
	start := time.Now()
	process, err := os.StartProcess(argv[0], argv, attr)
	if err = errors.Join(err, w.Close()); err != nil {
		return sample{}, nil, err
	}
	answer, read := io.ReadAll(out)
	took := time.Since(start)
	state, err := process.Wait()
	if err == nil && !state.Success() {
		err = errors.New(state.String())
	}
	if err = errors.Join(read, err); err != nil {
		return sample{}, nil, err
	}
	return sample{took, state.UserTime() + state.SystemTime()}, answer, nil
}

// peak is the most memory, in bytes, that a runner had resident in any of a few
// runs of a case; 0 where it is not known.
func (b *bench) peak(c *benchCase, r runner) (int64, error) {
	var most int64
	for range 5 {
		b.number++
		input, err := c.event.bytes(c.scene, c.id, b.number)
		if err == nil && r.before != nil {
			err = r.before()
		}
		if err != nil {
			return 0, err
		}
		cmd := exec.Command(b.programs.peak, r.argv...)
		cmd.Dir, cmd.Env, cmd.Stdin = c.workspace, c.env, bytes.NewReader(input)
		out, err := cmd.Output()
		if err != nil {
			return 0, fmt.Errorf("peak memory of %s: %w", filepath.Base(r.argv[0]), err)
		}
		kib, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil {
			return 0, err
		}
		most = max(most, kib<<10)
	}
	return most, nil
}
