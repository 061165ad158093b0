package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	claimFiles  = 10_000 // at which there is a target
	claimTarget = 100.0  // ms
	newest      = "the newest of all tasks"
	taken       = "claims the newest"
	passed      = "none is for this folder"
)

// claims measures what depends on the number of files: which of them is the
// newest, and which are for this workspace, is found by looking at all.
func (b *bench) claims(ctx context.Context, r *record) error {
	if b.settings.self {
		return nil
	}
	place, root := b.work.quick()
	for _, n := range sizes(b.settings.crowd) {
		cases, err := b.waiting(place, root, n)
		if err != nil {
			return err
		}
		runs := b.settings.n
		if n > claimFiles {
			runs = max(1, runs/10)
		}
		if err := b.measure(ctx, cases, runs); err != nil {
			return err
		}
		for _, c := range cases {
			c.others = n
			r.addCase("Claim", c)
			if n == claimFiles {
				r.targets = append(r.targets, target{c.label() + ", ms", float64(median(c.taken[1])) / 1e6, claimTarget})
			}
		}
		if err := removeScenes(cases); err != nil {
			return err
		}
	}
	return nil
}

func removeScenes(cases []*benchCase) (err error) {
	for _, c := range cases {
		err = errors.Join(err, os.RemoveAll(c.folder))
	}
	return err
}

// waiting lays out n unbound files for this workspace, and as many for another.
func (b *bench) waiting(place, root string, n int) ([]*benchCase, error) {
	here, err := newScene(place, root, fmt.Sprintf("%d-wait", n))
	if err != nil {
		return nil, err
	}
	elsewhere, err := newScene(place, root, fmt.Sprintf("%d-wait-for-others", n))
	if err != nil {
		return nil, err
	}
	claims := b.pair(benchCase{scene: here, name: taken, id: "chat-claims", event: stopEvent(0)}, false, goesOn(2, newest), "--session-limit", "none")
	claims.runners[1].before = func() error { return here.ask(claims.id) }
	passes := b.pair(benchCase{scene: elsewhere, name: passed, id: "chat-passes", event: stopEvent(0)}, false, empty)
	return []*benchCase{claims, passes}, errors.Join(here.unbound(n-1, here.workspace), elsewhere.unbound(n, here.workspace))
}

// unbound are a minute old: what is written in one tick of the clock has one
// time.
func (s scene) unbound(n int, workspace string) error {
	old := time.Now().Add(-time.Minute)
	for i := range n {
		path := s.pending(fmt.Sprintf("%d-%d.json", 1700000000000+i, i))
		if err := writeNew(path, unboundFile("an older task", workspace)); err != nil {
			return err
		}
		if err := os.Chtimes(path, old, old); err != nil {
			return err
		}
	}
	return nil
}

// ask asks for one more loop, and takes away what the claim before has left.
func (s scene) ask(id string) error {
	if err := s.leave(id); err != nil {
		return err
	}
	return writeNew(s.pending("1800000000000-1.json"), unboundFile(newest, s.workspace))
}

func unboundFile(task, workspace string) []byte {
	return fmt.Appendf(nil, `{"prompt": %q, "max_iterations": 20, "completion_promise": "COMPLETE", "iterations": 0, `+
		`"session_iterations": 0, "stop": false, "last_output": "", "workspace": %q, "created_at": %q}`+"\n",
		task, workspace, time.Now().UTC().Format(time.RFC3339))
}
