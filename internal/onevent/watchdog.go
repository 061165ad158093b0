package onevent

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"time"
)

// Without gates the hook ends within longest. At the deadline the event's context ends, which leaves time to answer.
const (
	longest    = 5 * time.Second
	deadline   = 4500 * time.Millisecond
	decideTime = 500 * time.Millisecond // is left to decide after each wait for another program
	writeTime  = 200 * time.Millisecond // is left to write the answer after a linger
)

// watchdog ends the hook in time, whatever it waits for: an editor that leaves its pipe open or does not read the answer, a lock, a
// disk. The zero watchdog never ends anything.
type watchdog struct {
	timer  *time.Timer
	end    time.Time          // of the process
	giveUp context.CancelFunc // of the event's context
	bites  func()             // at the end
	spoken atomic.Bool        // somebody writes the answer
	over   atomic.Bool        // it is out
}

// start returns the context of the event.
func (w *watchdog) start(bites func()) (ctx context.Context) {
	ctx, w.giveUp = context.WithCancel(context.Background()) // #nosec G118 -- the process ends with it
	w.bites, w.end = bites, time.Now().Add(longest)
	w.timer = time.AfterFunc(deadline, w.bark)
	return ctx
}

// renew starts the time again.
func (w *watchdog) renew() {
	w.end = time.Now().Add(longest)
	if w.timer != nil {
		w.timer.Reset(deadline)
	}
}

// rest stops the time until it is renewed: gates take as long as they take.
func (w *watchdog) rest() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *watchdog) bark() {
	w.giveUp()
	time.Sleep(longest - deadline)
	if !w.over.Load() {
		w.bites()
	}
}

// within leaves time to decide after a wait.
func (w *watchdog) within(ctx context.Context, wait time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, min(wait, time.Until(w.end)-(longest-deadline)-decideTime))
}

// speaks reports whether the caller is the first that answers: there is one answer.
func (w *watchdog) speaks() bool { return w.spoken.CompareAndSwap(false, true) }

var (
	errLate   = errors.New("standard input did not end in time")
	errSlow   = errors.New("the event could not be decided in time")
	errUnread = errors.New("write hook answer: nobody reads standard output")
)

// bite ends an event that took too long. It answers {}, or if the answer is being written but nobody reads it, starts the processes
// that come after the answer.
func (h *handler) bite() {
	switch {
	case !h.time.speaks():
		h.fail(errUnread)
		h.afterwards()
	case h.decides.Load():
		_, _ = output{file: os.Stdout}.Write([]byte("{}\n"))
		h.undecided(errSlow)
	default:
		_, _ = output{file: os.Stdout}.Write([]byte("{}\n"))
		h.fail(errLate)
	}
	os.Exit(0)
}

// output is standard output. Where its reader is gone, writing is an error, and no signal.
type output struct {
	file *os.File
	over *atomic.Bool
}

// Close makes the end of the answer known.
func (o output) Close() error {
	o.over.Store(true)
	return o.file.Close()
}
