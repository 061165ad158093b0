package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"
)

// listing is what a user waits for when listing all loops.
type listing struct {
	Place  string  `json:"place"`
	Others int     `json:"others"` // live loops, as many pending, as many in the archive
	Runs   int     `json:"runs"`
	List   float64 `json:"list_ms"`
	All    float64 `json:"list_all_ms"`
	Watch  float64 `json:"watch_ms,omitempty"` // until the first screen with all loops; 0: not measured
}

// patience is for a first screen. One that is not there by then counts as that
// long, and the table says so.
const patience = time.Minute

// lists measures cursor-ralph list, list --all, and the panel's first screen.
func (b *bench) lists(ctx context.Context, scenes []scene, r *result) error {
	place, _ := b.work.quick()
	for _, s := range scenes {
		if s.place != place {
			continue
		}
		if err := s.leave("chat-tool", "chat-goes-on"); err != nil {
			return err
		}
		l, err := b.listing(ctx, s)
		if err != nil {
			return fmt.Errorf("list of %d: %w", s.others, err)
		}
		r.Lists = append(r.Lists, l)
	}
	if r.Lists[0].Watch == 0 {
		r.miss("the panel's first screen: it needs Linux")
	}
	return nil
}

func (b *bench) listing(ctx context.Context, s scene) (listing, error) {
	runs := min(b.settings.n, 20)
	if s.others > 1000 {
		runs = min(b.settings.n, 3)
	}
	var plain, all, first []time.Duration
	for range runs + 1 {
		if ctx.Err() != nil {
			return listing{}, ctx.Err()
		}
		a, _, err := b.once([]string{b.programs.cli, "list"}, s, nil, lines(2*s.others))
		if err != nil {
			return listing{}, err
		}
		c, _, err := b.once([]string{b.programs.cli, "list", "--all"}, s, nil, lines(3*s.others))
		if err != nil {
			return listing{}, err
		}
		w := patience
		if !slices.Contains(first, patience) { // once is enough to wait in vain
			if w, err = firstScreen(ctx, b.programs.cli, s); err != nil {
				return listing{}, err
			}
		}
		plain, all, first = append(plain, a.wall), append(all, c.wall), append(first, w)
	}
	median := func(times []time.Duration) float64 { return quantile(times[1:], 0.5) } // the first one warms up
	return listing{Place: s.place, Others: s.others, Runs: runs, List: median(plain), All: median(all), Watch: median(first)}, nil
}

// leave takes away what the cases before had of their own.
func (s scene) leave(ids ...string) (err error) {
	for _, id := range ids {
		for _, path := range []string{s.live(id), s.journal(id), s.record(id)} {
			if gone := os.Remove(path); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}

// lines wants a line for each loop.
func lines(n int) func([]byte) error {
	return func(output []byte) error {
		if got := bytes.Count(output, []byte("\n")); got != n {
			return fmt.Errorf("got %d lines, want %d", got, n)
		}
		return nil
	}
}
