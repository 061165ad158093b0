package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	panelLoops  = 200
	panelEnded  = 5000
	panelEvents = 20 // a second
)

// panel measures the processor time that cursor-ralph watch takes for an event of the
// loops that it shows. A quarter of the events are stops, which replace a state file
// and its record; the others are tool calls, which lengthen a journal.
func (b *bench) panel(ctx context.Context, r *record) error {
	if b.settings.self {
		return nil
	}
	if runtime.GOOS != "linux" {
		r.miss("what the panel costs: it needs Linux")
		return nil
	}
	place, root := b.work.quick()
	s, err := newScene(place, root, "panel")
	if err != nil {
		return err
	}
	for n := range panelEnded {
		err = errors.Join(err, writeNew(s.record(fmt.Sprintf("ended-%d", n)), longState(n, "CANCELLED")))
	}
	for n := range panelLoops {
		err = errors.Join(err, s.stop(n, 0))
	}
	if err != nil {
		return err
	}
	alone, err := firstScreen(ctx, b.programs.cli, s, nil)
	if err != nil {
		return err
	}
	whole, err := firstScreen(ctx, b.programs.cli, s, func() error { return s.change(ctx, b.settings.n) })
	if err != nil {
		return err
	}
	row := key("place", place) + key("others", panelLoops)
	r.add("Panel", row, "watch", (whole.cpu-alone.cpu).Nanoseconds()/int64(b.settings.n), "cpu-ns/event")
	return nil
}

// change lets n events happen at even times.
func (s scene) change(ctx context.Context, n int) (err error) {
	ticker := time.NewTicker(time.Second / panelEvents)
	defer ticker.Stop()
	for count := range n {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
		if of := count * 7 % panelLoops; count%4 == 0 {
			err = s.stop(of, count)
		} else {
			err = s.tool(of)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// longState is a state file of some fifty kilobytes.
func longState(n int, status string) []byte {
	now := time.Now()
	var history []event
	for i := range 50 {
		history = append(history, event{
			"iteration": i + 1, "started_at": now, "ended_at": now, "duration_seconds": 60.5, "promise": "none", "action": "followup",
			"tools": map[string]int{"Write": 3, "Shell": 5, "Read": 9}, "answer": strings.Repeat("words of the agent ", 20),
			"files": []string{"internal/one/one.go", "internal/two/two.go", "internal/three/three_test.go", "README.md"},
		})
	}
	data, err := json.Marshal(event{
		"prompt": fmt.Sprintf("task %d: make the tests pass", n), "max_iterations": 1000, "iterations": 50 + n, "status": status,
		"workspace": "/home/user/code/repo", "started_at": now, "ended_at": now, "last_event_at": now, "history": history,
	})
	if err != nil {
		panic(err) // a literal cannot fail
	}
	return data
}

// stop replaces a state file and its copy in the archive, as the hook does.
func (s scene) stop(n, count int) error {
	data := longState(n+count, "running")
	for _, path := range []string{s.live(fmt.Sprintf("chat-%d", n)), s.record(fmt.Sprintf("chat-%d", n))} {
		scratch := filepath.Join(s.home, "new")
		if err := errors.Join(os.WriteFile(scratch, data, 0o600), os.Rename(scratch, path)); err != nil {
			return err
		}
	}
	return nil
}

// tool lengthens a journal, as the hook does.
func (s scene) tool(n int) error {
	f, err := os.OpenFile(s.journal(fmt.Sprintf("chat-%d", n)), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n{\"e\":\"tool\",\"tool\":\"Write\"}\n")
	return errors.Join(err, f.Close())
}
