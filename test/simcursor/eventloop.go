package simcursor

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// defaultBusy is how long at most the editor's event loop is busy with something
// else. Source: the shared measurement in PROTOCOL.md.
const defaultBusy = 40 * time.Millisecond

// eventLoop is the editor's, one for all hooks. While it is busy it notices neither a
// hook's output nor its exit: its next turn does. If both happened since the last
// turn, the exit wins. libuv reads before it reaps, but a callback between the two
// leaves the child time to write and exit.
type eventLoop struct {
	busy  time.Duration
	mu    sync.Mutex
	turns []time.Time // ascending
}

func newEventLoop(busy time.Duration) *eventLoop {
	if busy <= 0 {
		busy = defaultBusy
	}
	return &eventLoop{busy: busy, turns: []time.Time{time.Now()}}
}

func (l *eventLoop) around(moment time.Time) (before, after time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for last := l.turns[len(l.turns)-1]; last.Before(moment); {
		last = last.Add(rand.N(l.busy) + 1) // #nosec G404 -- spans of time, not secrets
		l.turns = append(l.turns, last)
	}
	i, _ := slices.BinarySearchFunc(l.turns, moment, time.Time.Compare)
	return l.turns[max(0, i-1)], l.turns[i]
}

// notice waits for the next turn and returns the one before now.
func (l *eventLoop) notice() time.Time {
	before, after := l.around(time.Now())
	time.Sleep(time.Until(after))
	return before
}

type arrivals struct {
	mu     sync.Mutex
	data   bytes.Buffer
	chunks []chunk
}

type chunk struct {
	end int
	at  time.Time
}

func (a *arrivals) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, err := a.data.Write(p)
	a.chunks = append(a.chunks, chunk{a.data.Len(), time.Now()})
	return n, err
}

// split returns what arrived until a moment and what arrived later. The zero moment is
// the end of time.
func (a *arrivals) split(moment time.Time) (read, missed string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, end := a.data.String(), 0
	if moment.IsZero() {
		return text, ""
	}
	for _, c := range a.chunks {
		if !c.at.After(moment) {
			end = c.end
		}
	}
	return text[:end], text[end:]
}
