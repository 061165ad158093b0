package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/handoff"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/internal/hooklog"
	"github.com/cursor-ralph/cursor-ralph/internal/text"
	"github.com/cursor-ralph/cursor-ralph/internal/view"
	"github.com/cursor-ralph/cursor-ralph/loop"
	"github.com/cursor-ralph/cursor-ralph/state"
)

func pruneFlags(f *pflag.FlagSet) {
	cli.Duration(f, "older-than", 0, 0, "remove records of loops that ended longer ago than `D`, such as 30d; 0 keeps any age (default: as the settings say, 90d)")
	f.Int("keep", 0, "keep the newest `N` records; 0 keeps any number (default: as the settings say, 1000)")
	f.Bool("dry-run", false, "list what would be removed, and remove nothing")
	cli.JSONFlag(f)
	new(handoff.Prune).Flags(f)
	f.Lookup("auto").Hidden = true
}

const day = 24 * time.Hour

// retention is what the flags say, otherwise the settings.
func (e *env) retention() (r state.Retention, err error) {
	c, err := e.Config()
	if err != nil {
		return r, err
	}
	days, _ := strconv.Atoi(c.Get("records.keep-days").Text) // the settings were checked
	r.Count, _ = strconv.Atoi(c.Get("records.keep-records").Text)
	r.Age = time.Duration(days) * day
	if e.Flags.Changed("older-than") {
		r.Age, _ = e.Flags.GetDuration("older-than") // as it was defined
	}
	if e.Flags.Changed("keep") {
		r.Count, _ = e.Flags.GetInt("keep")
	}
	if r.Age < 0 || r.Count < 0 {
		return r, hint.Misuse("prune: a limit is below 0", "0 stands for no limit")
	}
	return r, nil
}

// pruned is what prune --json prints.
type pruned struct {
	Schema  int         `json:"schema"`
	DryRun  bool        `json:"dry_run"`
	Removed int         `json:"removed"` // with dry_run: that would be
	Bytes   int64       `json:"bytes"`
	Kept    int         `json:"kept"`
	Loops   []view.Loop `json:"loops"`
	err     error
}

// prune removes the records of loops that ended long ago.
func prune(ctx context.Context, e *env, _ []string) error {
	r, err := e.retention()
	if err != nil {
		return err
	}
	stay, gone, err := e.Store.Expired(r)
	if err != nil {
		return err
	}
	p := pruned{Schema: 1, DryRun: e.IsSet("dry-run"), Kept: len(stay), Loops: []view.Loop{}}
	for _, record := range gone {
		p.add(ctx, e, record)
	}
	if !p.DryRun {
		p.err = cmp.Or(p.err, e.removeUnused(ctx, r.Age))
	}
	switch {
	case e.IsSet("auto"):
		if p.Removed > 0 || p.err != nil {
			e.Log(hooklog.Line{Event: "prune", Action: "pruned", Why: p.summary(r)})
		}
		return nil
	case e.IsSet("json"):
		return cmp.Or(e.JSON(p), p.err)
	}
	return cmp.Or(e.sayPruned(p, r), p.err)
}

// add removes a record, unless it is a dry run, and counts it.
func (p *pruned) add(ctx context.Context, e *env, r state.Record) {
	if !p.DryRun {
		ctx, cancel := context.WithTimeout(ctx, cli.LockWait)
		defer cancel()
		removed, err := e.Store.RemoveRecord(ctx, r, func(l loop.State) (err error) {
			if l.IsSurveyed() {
				err = e.checkpoints().Remove(ctx, l)
			}
			return err
		})
		p.err = cmp.Or(p.err, err)
		if !removed {
			return
		}
	}
	p.Removed++
	p.Bytes += r.Bytes
	p.Loops = append(p.Loops, e.View(r.Loop, false))
}

// removeUnused removes the checkpoints that belong to no loop any more and are older than
// the records may get, but at least a day.
func (e *env) removeUnused(ctx context.Context, age time.Duration) (err error) {
	unused := e.checkpoints().Unused(e.Now().Add(-max(age, day)))
	if age <= 0 || len(unused) == 0 {
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

// sayPruned lists what would be removed; what was removed is counted only.
func (e *env) sayPruned(p pruned, r state.Retention) error {
	var rows []view.Row
	for _, l := range p.Loops {
		rows = append(rows, l.Row(e.Now(), e.HomeFolder()))
	}
	if p.DryRun && len(rows) > 0 {
		if err := e.Say("%s", e.Screen().Table(rows)); err != nil {
			return err
		}
	}
	return e.Say("%s", p.summary(r))
}

// summary is what was done, in a line.
func (p pruned) summary(r state.Retention) string {
	did := "removed"
	if p.DryRun {
		did = "would remove"
	}
	switch {
	case r == state.Retention{}:
		return "nothing to remove: records are kept whatever their age and number"
	case p.Removed == 0:
		return "nothing to remove: " + text.Count(p.Kept, "record") + " kept"
	}
	return fmt.Sprintf("%s %s (%s); %d kept", did, text.Count(p.Removed, "record"), sizeOf(p.Bytes), p.Kept)
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
