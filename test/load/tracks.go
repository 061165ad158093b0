package main

import (
	"slices"
	"sync"
	"time"
)

// tracks are how long what took, by kind: an event's name, or command.
type tracks struct {
	mu    sync.Mutex
	times map[string][]time.Duration
}

// time adds how long something took.
func (t *tracks) time(kind string, do func() error) error {
	began := time.Now()
	err := do()
	t.add(kind, time.Since(began))
	return err
}

func (t *tracks) add(kind string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.times == nil {
		t.times = map[string][]time.Duration{}
	}
	t.times[kind] = append(t.times[kind], took)
}

// of returns the times of one kind, sorted.
func (t *tracks) of(kind string) []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(slices.Values(t.times[kind]))
}

// events is how many processes of the hook there were.
func (t *tracks) events() (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for kind, times := range t.times {
		if kind != "command" {
			n += len(times)
		}
	}
	return n
}

// quantile takes a sorted list; of an empty one it is 0.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}
