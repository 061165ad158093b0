package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// cleaner removes our files from /tmp, as people and their systems do.
type cleaner struct {
	name  string
	picks func(p *place, path string, rng *rand.Rand) bool
}

// aged is the age at which a cleaner by age removes, in place of the ten days that
// systems give a file of /tmp.
const aged = 300 * time.Millisecond

var cleaners = []cleaner{
	{"all", func(*place, string, *rand.Rand) bool { return true }},
	{"any, by chance", func(_ *place, _ string, rng *rand.Rand) bool { return rng.IntN(2) == 0 }},
	{"the state files", func(p *place, path string, _ *rand.Rand) bool { return ends(path, ".json") && !p.isPending(path) }},
	{"the journals", func(_ *place, path string, _ *rand.Rand) bool { return ends(path, ".journal") }},
	{"the locks", func(_ *place, path string, _ *rand.Rand) bool { return ends(path, "lock") }},
	{"the pending folder", func(p *place, path string, _ *rand.Rand) bool { return p.isPending(path) }},
	{"what is old", func(_ *place, path string, _ *rand.Rand) bool { return unused(path) > aged }},
}

func ends(path, suffix string) bool { return strings.HasSuffix(path, suffix) }

func (p *place) isPending(path string) bool { return strings.HasPrefix(path, p.pending()) }

// loses reports what may be gone for good.
func (c cleaner) loses(what string) bool {
	return slices.Contains(map[string][]string{
		"the state files":    {"state"},
		"the journals":       {"journal"},
		"the locks":          {"lock"},
		"the pending folder": {"pending", "lock"},
	}[c.name], what) || c.name == "all" || strings.HasPrefix(c.name, "any") || strings.HasPrefix(c.name, "what")
}

// clean removes once. What cannot be removed, because somebody else just did or
// put something into the folder, is left.
func (c cleaner) clean(p *place, rng *rand.Rand) (removed int64) {
	var paths []string
	_ = filepath.WalkDir(p.base(), func(path string, _ os.DirEntry, err error) error {
		if err == nil && path != p.base() {
			paths = append(paths, path)
		}
		return nil
	})
	for _, path := range slices.Backward(paths) { // what is in a folder comes before it
		if c.picks(p, path, rng) && os.Remove(path) == nil {
			removed++
		}
	}
	return removed
}

// cleaning is a run of rounds.
type cleaning struct {
	*place
	door     door
	wrong    complaints
	removed  atomic.Int64
	restored atomic.Int64
	lost     atomic.Int64 // loops that had not come to a stop yet
	went     atomic.Int64 // loops that were not touched
	behind   atomic.Int64 // changes lost as a lock was removed while somebody held it
}

// clean lets loops run while their files are removed, and looks whether each can
// go on.
func clean(ctx context.Context, s settings) (r report, err error) {
	p, err := newPlace(ctx, s)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	k := &cleaning{place: p, door: bareDoor{place: p, copies: 1}}
	began := time.Now()
	for n := range s.rounds {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		k.round(ctx, n, s.seed)
	}
	took := time.Since(began)
	for _, what := range append(p.atRest(), p.logged("panic")...) {
		if !strings.Contains(what, "action=error") || strings.Contains(what, "panic") {
			k.wrong.add("%s", what)
		}
	}
	return k.report(s, took), nil
}

// subject is a loop whose files are removed.
type subject struct {
	*chat
	answered, stops int // of the stops, and how many there were
	tools           int // that were called in turns that were answered
	contexts        int // that were added while files were removed
}

// round has three loops: one that was only asked for, or begun, and two that came
// to a stop already.
func (k *cleaning) round(ctx context.Context, n int, seed uint64) {
	rng := drawn(seed, n)
	c, during := cleaners[n%len(cleaners)], n/len(cleaners)%2 == 1
	when := "between events"
	if during {
		when = "during events"
	}
	var subjects []*subject
	for i := range 3 {
		subjects = append(subjects, &subject{chat: &chat{place: k.place, door: k.door, rng: drawn(seed, n*10+i+1),
			id: fmt.Sprintf("round-%d-%d", n, i), max: 50, calls: 2 + rng.IntN(3), fate: fate{limit, 50}}})
	}
	k.each(subjects, c.name+" before", func(i int, s *subject) error { return s.prepare(ctx, i) })
	if during {
		k.storm(ctx, c, rng, subjects)
	} else {
		if c.name == "what is old" {
			time.Sleep(aged) // what is tried is age
		}
		k.removed.Add(c.clean(k.place, rng))
	}
	k.each(subjects, fmt.Sprintf("%s removed %s", c.name, when), func(_ int, s *subject) error { return k.aftermath(ctx, s, c, during) })
}

func (k *cleaning) each(subjects []*subject, when string, do func(i int, s *subject) error) {
	var events []func() error
	for i, s := range subjects {
		events = append(events, func() error {
			if err := do(i, s); err != nil {
				k.wrong.add("%s: %s: %v", when, s.id, err)
			}
			return nil
		})
	}
	_ = together(events) // each has told
}

// prepare lets a loop run for so many turns.
func (s *subject) prepare(ctx context.Context, turns int) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	for range turns {
		if err := s.follows(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pass is a turn, whatever comes of it.
func (s *subject) pass(ctx context.Context) (text string, done iteration, err error) {
	done, err = s.work(ctx)
	if err != nil {
		return "", done, err
	}
	s.stops++
	text, err = s.event(ctx, "stop", fields{"status": "completed", "loop_count": s.loopCount})
	s.newTurn(text)
	if text == "" {
		s.loopCount = 0
		return "", done, err
	}
	s.answered++
	s.loopCount++
	for _, n := range done.tools {
		s.tools += n
	}
	return text, done, errors.Join(err, s.submit(ctx))
}

// follows is a turn that must go on.
func (s *subject) follows(ctx context.Context) error {
	text, _, err := s.pass(ctx)
	if err == nil && text == "" {
		err = errors.New("a loop that runs got no follow-up")
	}
	return err
}

// storm removes files again and again while each loop goes on.
func (k *cleaning) storm(ctx context.Context, c cleaner, rng *rand.Rand, subjects []*subject) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			k.removed.Add(c.clean(k.place, rng))
			select {
			case <-over:
				return
			case <-time.After(time.Duration(rng.IntN(4000)) * time.Microsecond): // when it happens is what is tried
			}
		}
	}()
	k.each(subjects, c.name+" being removed", func(_ int, s *subject) error { return s.inStorm(ctx) })
	close(over)
	<-done
}

// inStorm is a turn in which the user adds something. The command may find no
// loop, and says so then.
func (s *subject) inStorm(ctx context.Context) error {
	added := make(chan error, 1)
	go func() {
		_, err := s.command(ctx, nil, "context", s.id, "look at b.go too")
		added <- err
	}()
	_, _, err := s.pass(ctx)
	switch told := <-added; {
	case told == nil:
		s.contexts++
	case strings.Contains(told.Error(), "panic"), strings.Contains(told.Error(), "goroutine"):
		err = errors.Join(err, told)
	}
	return err
}

// aftermath wants a loop to be where it can be: live or pending, or in the archive
// if it came to a stop. There it goes on, and it can be ended.
func (k *cleaning) aftermath(ctx context.Context, s *subject, c cleaner, during bool) error {
	if err := k.bringBack(ctx, s, c); err != nil {
		return err
	}
	before, err := s.told(ctx, s.id)
	if err != nil {
		return err
	}
	least := s.answered
	if during && c.loses("lock") && s.contexts > 0 && before.Iterations == least-1 {
		k.behind.Add(1)
		least--
	}
	if before.Iterations < least || before.Iterations > s.stops {
		return fmt.Errorf("got iteration %d, want %d to %d", before.Iterations, least, s.stops)
	}
	if !during && !c.loses("journal") && !c.loses("state") && before.ToolCalls != s.tools {
		return fmt.Errorf("got %d tool calls, want %d", before.ToolCalls, s.tools)
	}
	return k.goesOn(ctx, s, before)
}

// bringBack has a loop that is gone taken up again, or asked for anew if nothing
// had been kept of it.
func (k *cleaning) bringBack(ctx context.Context, s *subject, c cleaner) error {
	switch {
	case s.there():
		k.went.Add(1)
		return nil
	case s.answered == 0 && (c.loses("state") || c.loses("pending")):
		if _, err := s.command(ctx, s.asAgent(), "continue", s.id); err == nil {
			k.restored.Add(1) // its first stop had been saved
			return nil
		}
		k.lost.Add(1)
		*s = subject{chat: s.chat}
		return s.begin(ctx)
	case !c.loses("state"):
		return errors.New("the loop is gone")
	}
	k.restored.Add(1)
	_, err := s.command(ctx, s.asAgent(), "continue", s.id)
	return err
}

func (s *subject) there() bool {
	for _, path := range []string{s.live(s.id), filepath.Join(s.pending(), s.id+".json")} {
		if _, err := os.Lstat(path); err == nil {
			return true
		}
	}
	return false
}

// goesOn plays one more turn, which must be counted with its calls, and ends the
// loop.
func (k *cleaning) goesOn(ctx context.Context, s *subject, before told) error {
	s.calls = 1 + s.rng.IntN(12) // a new journal may be shorter than the old one was, or longer
	text, done, err := s.pass(ctx)
	if err != nil {
		return err
	}
	if text == "" {
		return errors.New("afterwards a loop that runs got no follow-up")
	}
	var history []toldIteration
	after, err := s.told(ctx, s.id)
	if err = errors.Join(err, s.asked(ctx, &history, "history", s.id)); err != nil {
		return err
	}
	want := 0
	for _, n := range done.tools {
		want += n
	}
	if after.Iterations != before.Iterations+1 || after.ToolCalls-before.ToolCalls < want {
		return fmt.Errorf("afterwards: got iteration %d with %d more tool calls, want %d with %d", after.Iterations, after.ToolCalls-before.ToolCalls, before.Iterations+1, want)
	}
	for n, i := range history {
		if i.Number != n+1 {
			return fmt.Errorf("afterwards: iteration %d has number %d", n+1, i.Number)
		}
	}
	_, err = s.command(ctx, nil, "cancel", s.id)
	if l, errTold := s.told(ctx, s.id); err == nil && (errTold != nil || l.Status != cancelled) {
		err = errors.Join(fmt.Errorf("got %s, want %s", l.Status, cancelled), errTold)
	}
	return err
}

func (k *cleaning) report(s settings, took time.Duration) report {
	r := newReport("A /tmp that is cleaned", s)
	r.problems = k.wrong.all
	names := ""
	for _, c := range cleaners {
		names += ", " + c.name
	}
	r.row("rounds, three loops each", "%d in %.0f s", s.rounds, took.Seconds())
	r.row("removed in turn, between and during events", "%s", strings.TrimPrefix(names, ", "))
	r.row("files removed", "%d", k.removed.Load())
	r.row("events, commands", "%d, %d", k.trace.events(), len(k.trace.of("command")))
	r.row("loops that went on as if nothing had been", "%d", k.went.Load())
	r.row("loops that `cursor-ralph continue` brought back from the archive", "%d", k.restored.Load())
	r.row("loops gone that had not come to their first stop, asked for anew", "%d", k.lost.Load())
	r.row("stops overwritten by a command, the lock being removed while it was held", "%d", k.behind.Load())
	r.row("errors that the hook's last two logs report", "%d", len(k.logged("action=error")))
	r.times("an event's longest: stop", k.trace.of("stop"))
	r.row("crashed, torn, counted wrongly, left over", "%d", len(r.problems))
	return r
}
