package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// many lets all conversations work at once, and compares what became of each loop
// with its model.
func many(ctx context.Context, s settings) (r report, err error) {
	p, err := newPlace(ctx, s)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.remove()) }()
	d, err := openDoor(ctx, p, s)
	if err != nil {
		return r, err
	}
	var wrong complaints
	chats := newChats(p, d, s)
	began := time.Now()
	each(chats, func(c *chat) {
		if err := c.play(ctx); err != nil {
			wrong.add("%s: %v", c.id, err)
		}
	})
	took := time.Since(began)
	each(chats, func(c *chat) {
		if err := c.judge(ctx); err != nil {
			wrong.add("%s: %v", c.id, err)
		}
	})
	problems := slices.Concat(p.atRest(), d.violations(), p.archived(chats), wrong.all)
	return manyReport(s, p, chats, took, problems), ctx.Err()
}

func openDoor(ctx context.Context, p *place, s settings) (door, error) {
	if s.editor {
		return newEditorDoor(ctx, p, s)
	}
	copies := 1
	if s.twice {
		copies = 2
	}
	return bareDoor{place: p, gate: newGate(s), copies: copies}, nil
}

func newChats(p *place, d door, s settings) (chats []*chat) {
	for n := range s.chats {
		rng := drawn(s.seed, n)
		chats = append(chats, &chat{
			place: p, door: d, rng: rng, id: fmt.Sprintf("%08x-0000-4000-8000-%012d", rng.Uint32(), n),
			max: s.iterations, calls: s.calls, fate: drawFate(rng, s.iterations), until: time.Now().Add(s.atMost),
		})
	}
	return chats
}

func each(chats []*chat, do func(c *chat)) {
	var all sync.WaitGroup
	for _, c := range chats {
		all.Go(func() { do(c) })
	}
	all.Wait()
}

// archived wants one record of each loop, and for a long one the iterations that
// do not fit into it; nothing else.
func (p *place) archived(chats []*chat) (problems []string) {
	want := map[string]bool{}
	long := 0
	for _, c := range chats {
		want[c.id+".json"] = true
		if len(c.model.iterations) > 50 {
			long++
		}
	}
	entries, err := os.ReadDir(p.archive())
	if err != nil {
		return []string{err.Error()}
	}
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case strings.HasSuffix(name, ".history"):
			long--
		case name == scratch: // atRest wants it empty
		case name == ".session-limits.json" || name == ".shown-followups.json" || want[name]:
			delete(want, name)
		default:
			problems = append(problems, "left over in the archive: "+name)
		}
	}
	if len(want) > 0 || long != 0 {
		problems = append(problems, fmt.Sprintf("the archive lacks %d records and %d long histories", len(want), long))
	}
	return problems
}

func manyReport(s settings, p *place, chats []*chat, took time.Duration, problems []string) report {
	r := newReport("Many loops at once", s)
	r.problems = problems
	iterations, tools, asked := 0, 0, 0
	fates := map[string]int{}
	for _, c := range chats {
		iterations += len(c.model.iterations)
		tools += c.model.calls
		asked += len(c.model.asked)
		fates[c.fate.status]++
	}
	seconds := took.Seconds()
	commands := p.trace.of("command")
	r.row("conversations at once", "%d, each a loop of at most %d iterations with %d tool events a turn", s.chats, s.iterations, s.calls)
	r.row("the hook was run", "%s, %s", doorWords(s), copyWords(s))
	r.row("how the loops ended", "%d by their limit, %d by the promise, %d cancelled", fates[limit], fates[promised], fates[cancelled])
	if took > s.atMost {
		r.row("cut short", "after %s, when the loops that still ran were cancelled", s.atMost)
	}
	r.row("processes of the hook", "%d in %.0f s: %.0f a second", p.trace.events(), seconds, float64(p.trace.events())/seconds)
	r.row("iterations", "%d: %.1f a second", iterations, float64(iterations)/seconds)
	r.row("commands of cursor-ralph", "%d", len(commands))
	r.row("pieces of context that the user added", "%d", asked)
	r.row("tool calls that count", "%d", tools)
	for _, event := range []string{"stop", "postToolUse", "beforeSubmitPrompt"} {
		r.times(event, p.trace.of(event))
	}
	r.times("a command", commands)
	r.row("lost, doubled, left over, in the log", "%d", len(problems))
	return r
}

func doorWords(s settings) string {
	if s.editor {
		return "by the simulated editor through a login shell"
	}
	return "as a process, without a shell"
}

func copyWords(s settings) string {
	words := "once an event"
	if s.twice {
		words = "installed in two places: each event twice at once"
	}
	if n := cap(newGate(s)); n > 0 {
		words += fmt.Sprintf("; at most %d events at once", n)
	}
	return words
}
