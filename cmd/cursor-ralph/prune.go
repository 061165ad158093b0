package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

func pruneFlags(f *pflag.FlagSet) { new(handoff.Prune).Flags(f) }

const day = 24 * time.Hour

// retention is how long records of ended loops stay.
var retention = state.Retention{Age: 90 * day, Count: 1000}

// prune removes the records of loops that ended long ago.
func prune(ctx context.Context, e *env, _ []string) error {
	_, gone, err := e.Store.Expired(retention)
	if err != nil {
		return err
	}
	count, bytes := 0, int64(0)
	for _, record := range gone {
		removed, failed := e.removeRecord(ctx, record)
		err = cmp.Or(err, failed)
		if removed {
			count, bytes = count+1, bytes+record.Bytes
		}
	}
	err = cmp.Or(err, e.removeUnused(ctx))
	if count > 0 {
		e.Log(hooklog.Line{Event: "prune", Action: "pruned", Why: fmt.Sprintf("removed %s (%s)", text.Count(count, "record"), sizeOf(bytes))})
	}
	return err
}

// removeRecord removes a record and the checkpoints of its loop.
func (e *env) removeRecord(ctx context.Context, r state.Record) (removed bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, cli.LockWait)
	defer cancel()
	return e.Store.RemoveRecord(ctx, r, func(l loop.State) error {
		if !l.IsSurveyed() {
			return nil
		}
		return e.checkpoints().Remove(ctx, l)
	})
}

// removeUnused removes the checkpoints that belong to no loop any more and are older than
// the records may get.
func (e *env) removeUnused(ctx context.Context) (err error) {
	unused := e.checkpoints().Unused(e.Now().Add(-retention.Age))
	if len(unused) == 0 {
		return nil
	}
	all, err := e.Loops.All(time.Time{})
	known := map[string]bool{}
	for _, l := range all {
		err = cmp.Or(err, l.Err) // it may have checkpoints
		known[l.State.ShortID()] = true
	}
	if err != nil {
		return nil // doctor shows what cannot be read
	}
	for _, l := range unused {
		if !known[l.ID] {
			err = cmp.Or(err, e.removeCheckpoints(ctx, l))
		}
	}
	return err
}

func (e *env) removeCheckpoints(ctx context.Context, l loop.State) error {
	ctx, cancel := context.WithTimeout(ctx, cli.LockWait)
	defer cancel()
	return e.checkpoints().Remove(ctx, l)
}

func sizeOf(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1000_000)
}
