package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"
)

// patience is for a first screen. One that is not there by then counts as that
// long, and the table says so.
const patience = time.Minute

// lists measures cursor-ralph list, list --all, and the panel's first screen.
func (b *bench) lists(ctx context.Context, scenes []scene, r *record) error {
	place, _ := b.work.quick()
	for _, s := range scenes {
		if s.place != place {
			continue
		}
		if err := s.leave("chat-tool", "chat-goes-on"); err != nil {
			return err
		}
		if err := b.listing(ctx, s, r); err != nil {
			return fmt.Errorf("list of %d: %w", s.others, err)
		}
	}
	if runtime.GOOS != "linux" {
		r.miss("the panel's first screen: it needs Linux")
	}
	return nil
}

// listing runs each command once more than it records: the first run warms up.
func (b *bench) listing(ctx context.Context, s scene, r *record) error {
	runs := min(b.settings.n, 20)
	if s.others > 1000 {
		runs = min(b.settings.n, 3)
	}
	var screen sample
	for run := range runs + 1 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		plain, _, err := b.once([]string{b.programs.cli, "list"}, s, nil, table(2*s.others))
		if err != nil {
			return err
		}
		all, _, err := b.once([]string{b.programs.cli, "list", "--all"}, s, nil, table(3*s.others))
		if err != nil {
			return err
		}
		if screen.wall != patience { // once is enough to wait in vain
			if screen, err = firstScreen(ctx, b.programs.cli, s, nil); err != nil {
				return err
			}
		}
		if run == 0 {
			continue
		}
		row := key("place", s.place) + key("others", s.others)
		for by, took := range map[string]time.Duration{"list": plain.wall, "list-all": all.wall, "watch": screen.wall} {
			if took > 0 {
				r.add("List", row, by, took.Nanoseconds(), "ns/op")
			}
		}
	}
	return nil
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

// table wants a header and a line for each loop, at least: loops whose files a part
// has removed are listed as interrupted.
func table(n int) func([]byte) error {
	return func(output []byte) error {
		if got := bytes.Count(output, []byte("\n")) - 1; got < n {
			return fmt.Errorf("got %d loops, want at least %d", got, n)
		}
		return nil
	}
}
