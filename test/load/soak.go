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
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	looks   = 10      // how often the soak rests to look around
	logFull = 5 << 20 // bytes at which the log is changed
)

// soaking is a soak under way.
type soaking struct {
	*place
	settings settings
	until    time.Time
	door     door
	workers  []*worker
	long     longLived
	samples  []sample
	wrong    complaints
	loops    int // that have ended
	records  int // of other loops than those
}

// soak plays loop after loop in a few conversations, and rests now and then to
// look whether anything has grown.
func soak(ctx context.Context, s settings) (r report, err error) {
	p, err := newPlace(ctx, s)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	k := &soaking{place: p, settings: s, door: bareDoor{place: p, copies: 1}}
	for n := range s.workers {
		k.workers = append(k.workers, &worker{rng: drawn(s.seed, n), name: fmt.Sprintf("worker-%d", n)})
	}
	if err := k.fillLog(); err != nil {
		return r, err
	}
	if k.long, err = p.startLong(ctx); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, k.long.end()) }()
	k.records = 1 // of the run
	began := time.Now()
	k.until = began.Add(s.atMost)
	for n := 0; n < looks && time.Now().Before(k.until); n++ {
		k.slice(ctx, s.events*(n+1)/looks)
		if err := errors.Join(ctx.Err(), k.rest(ctx)); err != nil {
			return r, err
		}
	}
	return k.report(time.Since(began)), nil
}

// fillLog has the log full soon, so that it is changed for a new one.
func (k *soaking) fillLog() error {
	line := time.Now().UTC().Format("2006-01-02T15:04:05.000Z") + " event=stop action=rest why=" + strings.Repeat("x", 70) + "\n"
	return os.WriteFile(k.log(), []byte(strings.Repeat(line, (logFull-5*k.settings.events)/len(line))), 0o600)
}

// worker is a user who has one loop after the other.
type worker struct {
	rng   *rand.Rand
	name  string
	chats int
	turns int
	loops int
}

// slice goes on until so many events have happened, and every loop has ended.
func (k *soaking) slice(ctx context.Context, events int) {
	var all sync.WaitGroup
	for _, w := range k.workers {
		all.Go(func() {
			for k.trace.events() < events && ctx.Err() == nil && time.Now().Before(k.until) {
				k.wrong.unless(w.name, k.loop(ctx, w))
			}
		})
	}
	all.Wait()
}

// loop plays one, in a new conversation or in the one before.
func (k *soaking) loop(ctx context.Context, w *worker) error {
	if w.chats == 0 || w.rng.IntN(2) == 0 {
		w.chats++
	}
	most := 2 + w.rng.IntN(5)
	c := &chat{place: k.place, door: k.door, rng: w.rng, id: fmt.Sprintf("%s-%d", w.name, w.chats),
		max: most, calls: 3, fate: drawFate(w.rng, most), number: w.turns, first: w.turns}
	w.loops++
	err := c.play(ctx)
	w.turns = c.number
	if err == nil {
		err = c.judge(ctx)
	}
	if err != nil {
		err = fmt.Errorf("loop %d of %s: %w", w.loops, c.id, err)
	}
	return err
}

// rest looks around while nothing happens.
func (k *soaking) rest(ctx context.Context) error {
	k.loops = 0
	for _, w := range k.workers {
		k.loops += w.loops
	}
	s, err := k.sample(ctx)
	if err != nil {
		return err
	}
	k.samples = append(k.samples, s)
	k.wrong.all = append(k.wrong.all, k.atRest()...)
	if want := k.loops + k.records; s.records != want {
		k.wrong.add("the archive has %d records after %d loops, want %d", s.records, k.loops, want)
	}
	if s.log > logFull+64<<10 || s.older > logFull+64<<10 {
		k.wrong.add("the logs have %d and %d bytes", s.log, s.older)
	}
	return nil
}

// sample is how things are at one moment.
type sample struct {
	events, base, pending, records int
	log, older                     int64         // bytes
	stop, ignored                  time.Duration // on a processor
	peak                           int64         // KiB, of a hook at a stop
	watch, run                     usage
}

// usage is of a process that goes on.
type usage struct {
	descriptors int
	resident    int64 // KiB
}

func (k *soaking) sample(ctx context.Context) (s sample, err error) {
	s.events = k.trace.events()
	if s.stop, s.ignored, s.peak, err = k.probe(ctx, s.events); err != nil {
		return s, err
	}
	k.records++
	s.base, s.pending = count(k.base(), ""), count(k.pending(), "")
	s.records = count(k.archive(), ".json")
	s.log, s.older = size(k.log()), size(k.log()+".1")
	s.watch, s.run, err = k.long.used()
	return s, err
}

// count is how many files of a folder have names that end so; hidden ones do not
// count.
func count(folder, suffix string) (n int) {
	names, _ := filepath.Glob(filepath.Join(folder, "[^.]*"+suffix)) // the pattern is a good one
	return len(names)
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// probes is how often a stop is timed at each rest.
const probes = 30

// probe weighs stops of one loop, and beside each an event that the hook does not
// handle, by the time that they have on a processor: what else the machine does,
// and its disk, do not count.
func (k *soaking) probe(ctx context.Context, number int) (stop, ignored time.Duration, peak int64, err error) {
	if err := k.writePending("probe", "Be timed.", 1000); err != nil {
		return 0, 0, 0, err
	}
	for n := range probes {
		a, errA := k.weighed(ctx, "stop", number+n)
		b, errB := k.weighed(ctx, "sessionStart", number+n)
		stop, ignored, err = stop+a, ignored+b, errors.Join(err, errA, errB)
	}
	for n := range 5 {
		one, errPeak := k.peakOf(ctx, number+probes+n)
		peak, err = max(peak, one), errors.Join(err, errPeak)
	}
	_, errCancel := k.command(ctx, nil, "cancel", "probe")
	return stop / probes, ignored / probes, peak, errors.Join(err, errCancel)
}

func (k *soaking) weighed(ctx context.Context, event string, number int) (time.Duration, error) {
	payload, err := k.payload("probe", event, probeFields(number))
	if err != nil {
		return 0, err
	}
	answer, cost, err := k.hook(ctx, payload)
	if text, _ := answer["followup_message"].(string); err == nil && (text != "") != (event == "stop") {
		err = fmt.Errorf("%s: got the follow-up %q", event, text)
	}
	return cost, err
}

// peakOf is the most memory that a hook has at a stop, in KiB.
func (k *soaking) peakOf(ctx context.Context, number int) (int64, error) {
	payload, err := k.payload("probe", "stop", probeFields(number))
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, k.program("peak"), k.program("cursor-ralph-hook"), "--session-limit", "none", "--linger", "1ms")
	cmd.Dir, cmd.Env, cmd.Stdin = k.workspace(), k.env(), bytes.NewReader(payload)
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("peak: %w", err)
	}
	return strconv.ParseInt(string(bytes.TrimSpace(out)), 10, 64)
}

func probeFields(number int) fields {
	return fields{"generation_id": fmt.Sprint("probe-", number), "status": "completed", "loop_count": 0}
}

func (c *complaints) unless(who string, err error) {
	if err != nil {
		c.add("%s: %v", who, err)
	}
}

// The most that may have been added between the first rest and the last.
const (
	slower  = 1.5     // times, of a stop against an event that is not handled
	briefly = 3.0     // the same in a short soak
	larger  = 1.25    // times, of a hook's memory
	heavier = 1.5     // times, of a process that goes on
	slack   = 8 << 10 // KiB more than that
)

func (k *soaking) report(took time.Duration) report {
	r := newReport("Soak", k.settings)
	first, last := k.samples[0], k.samples[len(k.samples)-1]
	k.flat(first, last)
	ratio := func(s sample) float64 { return float64(s.stop) / float64(s.ignored) }
	seconds := took.Seconds()
	r.row("events", "%d in %.0f s: %.0f a second, in %d conversations at once", last.events, seconds, float64(last.events)/seconds, k.settings.workers)
	r.row("loops begun and ended", "%d, each compared with its model", k.loops)
	r.row("commands of cursor-ralph", "%d", len(k.trace.of("command")))
	r.row("first look, last look", "after %d and %d events", first.events, last.events)
	r.row("files in /tmp, in the pending folder", "%d and %d, then %d and %d", first.base, first.pending, last.base, last.pending)
	r.row("records in the archive, one a loop by design", "%d, then %d", first.records, last.records)
	r.row("the log and the one before, bytes", "%d and %d, then %d and %d", first.log, first.older, last.log, last.older)
	r.row("processor time of a stop, ms", "%.2f, then %.2f", milliseconds(first.stop), milliseconds(last.stop))
	r.row("the same against an event that is not handled", "%.2f times, then %.2f times", ratio(first), ratio(last))
	r.row("most memory of a hook at a stop, KiB", "%d, then %d", first.peak, last.peak)
	for _, p := range []struct {
		name        string
		first, last usage
	}{{"watch", first.watch, last.watch}, {"run", first.run, last.run}} {
		r.row("cursor-ralph "+p.name+", all the time: descriptors, memory in KiB", "%d and %d, then %d and %d",
			p.first.descriptors, p.first.resident, p.last.descriptors, p.last.resident)
	}
	r.problems = k.wrong.all
	r.row("lost, doubled, left over, in the log, grown", "%d", len(r.problems))
	return r
}

// flat complains of what has grown.
func (k *soaking) flat(first, last sample) {
	was, is := float64(first.stop)/float64(first.ignored), float64(last.stop)/float64(last.ignored)
	allowed := slower
	if last.events < 50_000 {
		allowed = briefly
	}
	if is > allowed*was {
		k.wrong.add("a stop takes %.2f times the processor time of an event that is not handled, and took %.2f times", is, was)
	}
	if float64(last.peak) > larger*float64(first.peak) {
		k.wrong.add("a hook needs %d KiB, and needed %d", last.peak, first.peak)
	}
	if last.older == 0 {
		k.wrong.add("the log was never changed for a new one")
	}
	k.flatUsage("watch", first.watch, last.watch)
	k.flatUsage("run", first.run, last.run)
}

func (k *soaking) flatUsage(name string, first, last usage) {
	if last.descriptors > first.descriptors {
		k.wrong.add("cursor-ralph %s has %d descriptors, and had %d", name, last.descriptors, first.descriptors)
	}
	if float64(last.resident) > heavier*float64(first.resident)+slack {
		k.wrong.add("cursor-ralph %s has %d KiB, and had %d", name, last.resident, first.resident)
	}
}
